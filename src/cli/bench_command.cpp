#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/filter_quality.hpp"
#include "app/peer_resizers.hpp"
#include "cli/commands.hpp"
#include "cli/option_table.hpp"
#include "core/error.hpp"
#include "filters/kernel.hpp"
#include "resample/cuda_bench.hpp"

namespace upfirdn::cli {
namespace {

constexpr auto examples =
    "Examples:\n"
    "  upfirdn bench --filters\n"
    "  upfirdn bench --device cuda --only 'down 2' --type u16\n"
    "  upfirdn bench --filters --filter kaiser:atten=90,width=0.6 --filter lanczos3 --json\n\n"
    "--filters resizes gratings, a zone plate and steps of 16 bits. 'gain' is that of 0.25 cycles per coarse pixel (an\n"
    "output pixel when reducing), 'leak' the largest standard deviation that a grating too fine for the output leaves\n"
    "(0.75 cycles and more; when enlarging: beside its own frequency), 'zone' the same over a zone plate, 'overshoot'\n"
    "and 'edge' (10 % to 90 %, coarse pixels) are those of a step, 'shift' is how far steps move in input pixels.\n\n"
    "--device cuda times the kernels on images in device memory: 'floor' is a copy that moves as many bytes, or the\n"
    "arithmetic at the rates measured where that takes longer. Bytes are compared with the CPU's first.";

constexpr const char* default_filters[] = {"gaussian", "box",      "triangle", "catmullrom", "mitchell",
                                           "lanczos2", "lanczos3", "kaiser",   "kaiser:atten=90,width=0.6"};

struct Factor {
  const char* name;
  std::int64_t side;
};
constexpr Factor factors[] = {{"1/2", 516}, {"1/3.44", 300}, {"1/8", 129}, {"2", 2064}};

struct BenchRequest {
  bool filters = false, peers = false, json = false, kernels = false;
  KernelBenchOptions kernel_options;
  std::vector<std::string> names;
};

void print_row(const std::string& name, const std::optional<FilterQuality>& quality) {
  if (!quality)
    return fmt::print("{:<28} could not do it\n", name);
  const std::string zone = quality->zone_percent ? fmt::format("{:.4f}", *quality->zone_percent) : "-";
  fmt::print("{:<28} {:>8.2f} {:>9.4f} {:>9} {:>11.2f} {:>7.2f} {:>9.5f}\n", name, quality->gain_db,
             quality->leak_percent, zone, quality->overshoot_percent, quality->edge_pixels, quality->shift_pixels);
}

void print_json(const Factor& factor, const std::string& name, const std::optional<FilterQuality>& quality) {
  nlohmann::ordered_json row{{"factor", factor.name}, {"resizer", name}};
  if (quality) {
    row["gain_db"] = quality->gain_db;
    row["leak_percent"] = quality->leak_percent;
    if (quality->zone_percent) row["zone_percent"] = *quality->zone_percent;
    row["overshoot_percent"] = quality->overshoot_percent;
    row["edge_pixels"] = quality->edge_pixels;
    row["shift_pixels"] = quality->shift_pixels;
  }
  fmt::print("{}\n", row.dump());
}

void bench_filters(const BenchRequest& request) {
  std::vector<PeerResizer> resizers;
  for (const std::string& name : request.names) resizers.push_back({name, own_resizer(name)});
  if (request.peers) {
    for (PeerResizer& peer : installed_peers()) resizers.push_back(std::move(peer));
  }
  for (const Factor& factor : factors) {
    const QualityTest test(factor.side);
    if (!request.json)
      fmt::print("{}{:<28} {:>8} {:>9} {:>9} {:>11} {:>7} {:>9}\n", &factor == &factors[0] ? "" : "\n",
                 fmt::format("factor {}", factor.name), "gain dB", "leak %", "zone %", "overshoot %", "edge px",
                 "shift px");
    for (const PeerResizer& resizer : resizers) {
      const std::optional<FilterQuality> quality = test.measure(resizer.resizer);
      if (request.json)
        print_json(factor, resizer.name, quality);
      else
        print_row(resizer.name, quality);
    }
  }
}

void print_kernel_time(const KernelTime& t, bool json) {
  if (json) {
    const nlohmann::ordered_json row{{"case", t.name}, {"type", t.type}, {"shape", t.shape}, {"kernel", t.kernel},
                                     {"us", t.us}, {"copy_us", t.copy_us}, {"arithmetic_us", t.arithmetic_us},
                                     {"time_over_floor", t.ratio()}, {"time_over_peak_copy", t.us / t.peak_copy_us},
                                     {"equal_to_cpu", t.equal}};
    return fmt::print("{}\n", row.dump());
  }
  fmt::print("{}\n", kernel_time_line(t));
}

int bench_cuda(const BenchRequest& request) {
  if (!request.json) fmt::print("{}\n", kernel_time_heading());
  bool equal = true;
  const std::string probes = bench_kernels(request.kernel_options, [&](const KernelTime& time) {
    equal = equal && time.equal;
    print_kernel_time(time, request.json);
    std::fflush(stdout);
  });
  if (!request.json) fmt::print("{}\n", probes);
  return int(equal ? ExitCode::ok : ExitCode::mismatch);
}

}  // namespace

int run_bench(const std::vector<std::string>& arguments) {
  BenchRequest request;
  OptionTable table("bench", "--filters | --device cuda [options]",
                    "Measures what filters do to test pictures, or how fast kernels are.", examples);
  table.flag("--filters", "leak, overshoot, edge width and shift of filters", [&] { request.filters = true; });
  table.values("--filter", "NAME[:PARAMS]", "measure this filter (repeatable; default: the common ones)",
               [&](const OptionValue& value) {
                 (void)parse_filter(value.text);
                 request.names.push_back(value.text);
               });
  table.flag("--peers", "measure vips, GraphicsMagick, ImageMagick and Pillow too, where they are installed",
             [&] { request.peers = true; });
  table.value("--device", "cuda", "how fast the kernels are, against this card's own copy speed",
              [&](const OptionValue& value) { request.kernels = parse_word<bool>(value, {{"cuda", true}}); });
  table.value("--only", "PART", "cases whose name holds this (default: all)",
              [&](const OptionValue& value) { request.kernel_options.only = value.text; });
  table.value("--type", "T", "samples of this type: f32, u16, f16 or u8 (default: all)", [&](const OptionValue& value) {
    request.kernel_options.only_type = parse_word<std::string>(value, {{"f32", "f32"}, {"u16", "u16"}, {"f16", "f16"}, {"u8", "u8"}});
  });
  table.flag("--json", "print one JSON object a line (default: tables)", [&] { request.json = true; });
  if (!table.parse(arguments).empty()) table.refuse("bench: takes no files");
  if (request.filters == request.kernels)
    table.refuse("bench: what to measure is not said; add --filters or --device cuda, one of them");
  if (request.kernels) return bench_cuda(request);
  if (request.names.empty()) request.names.assign(std::begin(default_filters), std::end(default_filters));
  bench_filters(request);
  return 0;
}

}  // namespace upfirdn::cli
