// The CPU backend beside other libraries, in one process and in turn: times, ratios, and each one's error against float64.
//   upfirdn_peers [--only PART] [--rounds N] [--avx2] [--json]
// --avx2 keeps both sides from AVX-512. tests/bench/peers.py repeats it in processes of their own.

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "peer.hpp"
#include "resample/backend.hpp"
#include "resample/bench_cases.hpp"
#include "resample/plan.hpp"
#include "support/oracle.hpp"

namespace upfirdn {
namespace {

enum class Library { zimg, opencv };

struct PeerCase {
  std::string name;
  Library library;
  const char* filter;
  ImageInfo input;
  std::int64_t width, height;  ///< of the output
};

struct Options {
  std::string only;
  int rounds = 15;
  bool avx512 = true, json = false;
};

/// Times with one number of threads, in ms.
struct Times {
  double ours, peer, copy, page_faults;
};
struct PictureError {
  double largest = 0, rms = 0;
};

std::vector<PeerCase> all_cases() {
  std::vector<PeerCase> cases;
#ifdef UPFIRDN_ZIMG
  const auto add = [&](PixelType type, std::int64_t in_width, std::int64_t in_height, std::int64_t width, std::int64_t height) {
    const ImageInfo input{.width = in_width, .height = in_height, .type = type, .maxval = full_scale(type)};
    cases.push_back({fmt::format("{} {}x{} -> {}x{} lanczos3", name(type), in_width, in_height, width, height), Library::zimg, "lanczos3", input, width, height});
  };
  for (const PixelType type : {PixelType::u16, PixelType::f32}) {
    add(type, 4096, 4096, 1024, 1024);
    add(type, 3000, 2500, 1024, 853);
    add(type, 2048, 2048, 4096, 4096);
  }
#endif
#ifdef UPFIRDN_OPENCV
  cases.push_back({"u8 x 3 4000x3000 -> 1000x750 gaussian", Library::opencv, "gaussian", {.width = 4000, .height = 3000, .channels = 3}, 1000, 750});
#endif
  return cases;
}

std::unique_ptr<Peer> make_peer(const PeerCase& c, const Image& input, const ImageInfo& output, [[maybe_unused]] bool avx512) {
  switch (c.library) {
    case Library::zimg:
#ifdef UPFIRDN_ZIMG
      return make_zimg_lanczos3(input, output, avx512);
#else
      break;
#endif
    case Library::opencv:
#ifdef UPFIRDN_OPENCV
      return make_opencv_area(input, output);
#else
      break;
#endif
  }
  throw std::logic_error("a case of a library that is not there");
}

/// Sines and noise in the middle of the range, so that no filter overshoots it. Floats hold codes of 16 bits.
Image picture(const ImageInfo& info) {
  Image image(info);
  const Image noise = noise_image({.width = info.width, .height = info.height, .channels = info.channels, .type = PixelType::u8});
  const double full = info.type == PixelType::f32 ? 65535 : full_scale(info.type);
  for (std::int64_t y = 0; y < info.height; ++y)
    for (std::int64_t x = 0; x < info.width * info.channels; ++x) {
      const double wave = std::sin(double(x) / info.channels * 0.031) * std::cos(double(y) * 0.017);
      const double value = full * (0.5 + 0.25 * wave + 0.15 * (double(noise.row(y)[x]) / 255 - 0.5));
      visit_pixel_type(info.type, [&](auto sample) {
        using S = decltype(sample);
        if constexpr (!std::is_same_v<S, Half>) sample = S(value);
        std::memcpy(image.row(y) + std::size_t(x) * sizeof sample, &sample, sizeof sample);
      });
    }
  return image;
}

ResampleSpec spec_of(const PeerCase& c, const std::string& filter) { return resize_spec(filter, c.width, c.height); }

/// The separable sums in float64 with taps in float64, both axes in turn.
std::vector<double> reference(const ResampleSpec& spec, const Image& image) {
  const oracle::Setup setup = oracle::resolve(spec, image.info());
  const ImageInfo& in = setup.input;
  const std::int64_t samples = in.width * in.channels, columns = setup.x.out * in.channels;
  std::vector<double> row(static_cast<std::size_t>(samples)), out;
  out.reserve(std::size_t(columns * setup.y.out));
  for (const oracle::Weights& down : setup.y.outputs) {
    std::fill(row.begin(), row.end(), 0.0);
    for (std::size_t k = 0; k < down.taps.size(); ++k) {
      const std::byte* from = image.row(source_index(down.first + std::int64_t(k), in.height, Border::edge));
      visit_pixel_type(in.type, [&](auto sample) {
        for (std::int64_t i = 0; i < samples; ++i) {
          std::memcpy(&sample, from + std::size_t(i) * sizeof sample, sizeof sample);
          row[std::size_t(i)] += down.taps[k] * to_real<double>(sample);
        }
      });
    }
    for (const oracle::Weights& right : setup.x.outputs)
      for (int c = 0; c < in.channels; ++c) {
        double sum = 0;
        for (std::size_t k = 0; k < right.taps.size(); ++k)
          sum += right.taps[k] * row[std::size_t(source_index(right.first + std::int64_t(k), in.width, Border::edge) * in.channels + c)];
        out.push_back(sum);
      }
  }
  return out;
}

/// Differences from the unrounded reference, 16 pixels off each side because libraries differ in borders.
PictureError error_of(const Image& image, const std::vector<double>& expected) {
  constexpr std::int64_t margin = 16;
  const ImageInfo& info = image.info();
  PictureError error;
  double squares = 0, samples = 0;
  for (std::int64_t y = margin; y < info.height - margin; ++y)
    for (std::int64_t x = margin * info.channels; x < (info.width - margin) * info.channels; ++x) {
      const int channel = int(x % info.channels);
      const double difference = std::abs(oracle::sample_at(image, x / info.channels, y, channel) - expected[std::size_t(y * info.width * info.channels + x)]);
      error.largest = std::max(error.largest, difference);
      squares += difference * difference;
      samples += 1;
    }
  error.rms = std::sqrt(squares / samples);
  return error;
}

/// Ours, the peer and a copy with one number of threads.
struct Race {
  Race(int number, const Operation& op, const Image& input, Image& output, Peer& peer)
      : threads(number), floor(input.size_bytes(), output.size_bytes(), number), theirs(peer.work(number)) {
    ours.run = [&, this] {
      ImageSource source(input);
      ImageSink sink(output);
      backend->run(op, source, sink);
    };
  }
  void run(int rounds) {
    backend = make_cpu_backend(threads);
    std::vector<TimedWork*> works = floor.works();
    works.insert(works.end(), {&ours, &theirs});
    time_side_by_side(works, rounds);
    backend.reset();  // a backend limits the threads of all
  }
  [[nodiscard]] Times times() const { return {ours.median_ms(), theirs.median_ms(), floor.median_ms(), ours.median_page_faults()}; }

  int threads;
  std::unique_ptr<Backend> backend;
  MemoryFloor floor;
  TimedWork ours, theirs;
};

void report_json(const PeerCase& c, const Peer& peer, const Times (&times)[2], const PictureError& ours, const PictureError& theirs) {
  nlohmann::ordered_json row{{"case", c.name}, {"peer", peer.name()}, {"target", cpu_targets().front()}};
  for (int i = 0; i < 2; ++i) {
    const Times& t = times[i];
    row["threads"].push_back({{"threads", i + 1}, {"ours_ms", t.ours}, {"peer_ms", t.peer}, {"copy_ms", t.copy},
                              {"ours_over_peer", t.ours / t.peer}, {"ours_over_copy", t.ours / t.copy}, {"page_faults", t.page_faults}});
  }
  row["scaling"] = times[0].ours / times[1].ours;
  row["ours_error"] = {{"max", ours.largest}, {"rms", ours.rms}};
  row["peer_error"] = {{"max", theirs.largest}, {"rms", theirs.rms}};
  fmt::print("{}\n", row.dump());
}

void report_text(const PeerCase& c, const Peer& peer, const Times (&times)[2], const PictureError& ours, const PictureError& theirs) {
  const Times &one = times[0], &two = times[1];
  fmt::print("{:40} {:>15} {:7.2f} {:7.2f} {:6.2f} {:6.2f} | {:7.2f} {:7.2f} {:6.2f} {:6.2f} {:7.2f} | {:8.4f} {:7.4f} {:8.4f} {:7.4f} | {:.0f}\n", c.name, peer.name(),
             one.ours, one.peer, one.ours / one.peer, one.ours / one.copy, two.ours, two.peer, two.ours / two.peer, two.ours / two.copy,
             one.ours / two.ours, ours.largest, ours.rms, theirs.largest, theirs.rms, one.page_faults);
}

void heading() {
  fmt::print("ours on {}; 1 thread, then 2; ms are medians, copy moves as many bytes; errors in codes, 16 pixels off each side\n", cpu_targets().front());
  fmt::print("{:40} {:>15} {:>7} {:>7} {:>6} {:>6} | {:>7} {:>7} {:>6} {:>6} {:>7} | {:>8} {:>7} {:>8} {:>7} | {}\n", "case", "peer", "ours", "peer", "/peer", "/copy",
             "ours", "peer", "/peer", "/copy", "scaling", "our max", "rms", "peer max", "rms", "page faults of ours");
}

void run_case(const PeerCase& c, const Options& options) {
  const Image input = picture(c.input);
  const Plan plan = make_plan(spec_of(c, c.filter), c.input, c.input);
  Image output(plan.output);
  const std::unique_ptr<Peer> peer = make_peer(c, input, plan.output, options.avx512);
  Race one(1, plan.operation, input, output, *peer), two(2, plan.operation, input, output, *peer);
  constexpr int heats = 3;
  for (int i = 0; i < heats; ++i)
    for (Race* race : {&one, &two}) race->run((options.rounds + heats - 1) / heats);
  const Times times[2] = {one.times(), two.times()};
  const PictureError ours = error_of(output, reference(spec_of(c, c.filter), input));
  const PictureError theirs = error_of(peer->result(), reference(spec_of(c, peer->filter()), input));
  (options.json ? report_json : report_text)(c, *peer, times, ours, theirs);
  std::fflush(stdout);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const auto value = [&] { return i + 1 < argc ? argv[++i] : ""; };
    if (std::strcmp(argv[i], "--only") == 0) options.only = value();
    else if (std::strcmp(argv[i], "--rounds") == 0) options.rounds = std::atoi(value());
    else if (std::strcmp(argv[i], "--avx2") == 0) options.avx512 = false;
    else if (std::strcmp(argv[i], "--json") == 0) options.json = true;
    else throw std::runtime_error(fmt::format("{}: unknown; see the head of tests/bench/peers.cpp", argv[i]));
  }
  return options;
}

void run(const Options& options) {
  if (!options.avx512) force_cpu_target("AVX2");
  if (!options.json) heading();
  for (const PeerCase& c : all_cases())
    if (c.name.find(options.only) != std::string::npos) run_case(c, options);
}

}  // namespace
}  // namespace upfirdn

int main(int argc, char** argv) {
  try {
    upfirdn::run(upfirdn::parse(argc, argv));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "upfirdn_peers: %s\n", error.what());
    return 1;
  }
}
