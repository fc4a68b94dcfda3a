#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/filter_quality.hpp"
#include "app/peer_resizers.hpp"
#include "cli/commands.hpp"
#include "cli/option_table.hpp"
#include "core/error.hpp"
#include "filters/kernel.hpp"
#include "resample/backend.hpp"
#include "resample/cpu_bench.hpp"
#include "resample/cuda_bench.hpp"

namespace upfirdn::cli {
namespace {

constexpr auto examples =
    "Examples:\n"
    "  upfirdn bench --filters\n"
    "  upfirdn bench --device cuda --only 'down 2' --type u16\n"
    "  upfirdn bench --device cpu --only 1024^2 --threads 1,2 --cpu-target all\n"
    "  upfirdn bench --filters --filter kaiser:atten=90,width=0.6 --filter lanczos3 --json\n\n"
    "--filters resizes gratings, a zone plate and steps of 16 bits. 'gain' is that of 0.25 cycles per coarse pixel (an\n"
    "output pixel when reducing), 'leak' the largest standard deviation that a grating too fine for the output leaves\n"
    "(0.75 cycles and more; when enlarging: beside its own frequency), 'zone' the same over a zone plate, 'overshoot'\n"
    "and 'edge' (10 % to 90 %, coarse pixels) are those of a step, 'shift' is how far steps move in input pixels.\n\n"
    "--device cuda times the kernels on images in device memory: 'floor' is a copy that moves as many bytes, or the\n"
    "arithmetic at the rates measured where that takes longer. Bytes are compared with the CPU's first.\n\n"
    "--device cpu times conversions in memory, files left out: medians of rounds in which each case, the case without\n"
    "what it adds and a copy that moves as many bytes take turns. 'Mpixel/s' counts the larger of input and output,\n"
    "'/floor' is time over the copy's, '/plain' the time per multiply-add over that of the case without what it adds,\n"
    "'faults' are pages that a run touches first. Bytes are first compared between instruction sets and threads, and on\n"
    "small images with the definition.";

constexpr const char* default_filters[] = {"gaussian", "box",      "triangle", "catmullrom", "mitchell",
                                           "lanczos2", "lanczos3", "kaiser",   "kaiser:atten=90,width=0.6"};

struct Factor {
  const char* name;
  std::int64_t side;
};
constexpr Factor factors[] = {{"1/2", 516}, {"1/3.44", 300}, {"1/8", 129}, {"2", 2064}};

struct BenchRequest {
  bool filters = false, peers = false, json = false;
  std::optional<Device> device;
  std::string only, type;
  std::optional<int> rounds;
  CpuBenchOptions cpu;
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
  KernelBenchOptions options{.only = request.only, .only_type = request.type};
  if (request.rounds) options.rounds = *request.rounds;
  if (!request.json) fmt::print("{}\n", kernel_time_heading());
  bool equal = true;
  const std::string probes = bench_kernels(options, [&](const KernelTime& time) {
    equal = equal && time.equal;
    print_kernel_time(time, request.json);
    std::fflush(stdout);
  });
  if (!request.json) fmt::print("{}\n", probes);
  return int(equal ? ExitCode::ok : ExitCode::mismatch);
}

void print_cpu_time(const CpuTime& t, bool json) {
  if (!json) return fmt::print("{}\n", cpu_time_line(t));
  nlohmann::ordered_json row{{"case", t.name}, {"type", t.type}, {"shape", t.shape}, {"target", t.target}, {"threads", t.threads},
                             {"ms", t.ms}, {"megapixels_per_s", t.megapixels / t.ms * 1000}, {"copy_ms", t.copy_ms},
                             {"time_over_floor", t.ratio()}, {"multiply_adds", t.multiply_adds}};
  if (t.over_plain) row["time_per_multiply_add_over_plain"] = *t.over_plain;
  row["page_faults"] = t.page_faults;
  row["equal"] = t.equal;
  fmt::print("{}\n", row.dump());
}

int bench_cpu(const BenchRequest& request) {
  CpuBenchOptions options = request.cpu;
  options.only = request.only;
  options.only_type = request.type;
  if (request.rounds) options.rounds = *request.rounds;
  bool equal = true, first = true;
  upfirdn::bench_cpu(options, [&](const CpuTime& time) {
    if (first && !request.json) fmt::print("{}\n", cpu_time_heading());
    first = false;
    equal = equal && time.equal;
    print_cpu_time(time, request.json);
    std::fflush(stdout);
  });
  return int(equal ? ExitCode::ok : ExitCode::mismatch);
}

/// Numbers of threads between commas.
std::vector<int> parse_thread_counts(const OptionValue& value) {
  std::vector<int> counts;
  for (const std::string_view part : split_list(value.text))
    counts.push_back(int(parse_integer({value.option, std::string(part)}, 1, 4096)));
  return counts;
}

/// An instruction set that can run here, or all of them.
std::vector<std::string> parse_targets(const OptionValue& value) {
  if (value.text == "all") return cpu_targets();
  force_cpu_target(value.text);
  return {value.text};
}

void add_speed_options(OptionTable& table, BenchRequest& request) {
  table.word("--device", "cpu|cuda", "how fast conversions or kernels are, against copies of as many bytes", request.device,
             {{"cpu", Device::cpu}, {"cuda", Device::cuda}});
  table.value("--only", "PART", "cases whose name holds this (default: all)",
              [&](const OptionValue& value) { request.only = value.text; });
  table.word("--type", "T", "samples of this type: f32, u16, f16 or u8 (default: all)", request.type, {"f32", "u16", "f16", "u8"});
  table.value("--rounds", "N", "runs of each case (default 12, at least 3; with cuda 30)",
              [&](const OptionValue& value) { request.rounds = int(parse_integer(value, 1, 10000)); });
  table.value("--threads", "N[,N...]", "cpu: numbers of threads (default: 1 and one a core)",
              [&](const OptionValue& value) { request.cpu.threads = parse_thread_counts(value); });
  table.value("--cpu-target", "NAME", "cpu: an instruction set of 'upfirdn devices', or all (default: the best)",
              [&](const OptionValue& value) { request.cpu.targets = parse_targets(value); }, {"all"});
  table.value("--side", "N", "cpu: side of the images of 'down', 'up' and 'blur' (default 4096; half with more channels)",
              [&](const OptionValue& value) { request.cpu.side = parse_integer(value, 4, 32768); });
}

}  // namespace

int run_bench(const std::vector<std::string>& arguments) {
  BenchRequest request;
  OptionTable table("bench", "--filters | --device cpu|cuda [options]",
                    "Measures what filters do to test pictures, or how fast the CPU or CUDA is.", examples);
  table.flag("--filters", "leak, overshoot, edge width and shift of filters", [&] { request.filters = true; });
  table.values("--filter", "NAME[:PARAMS]", "measure this filter (repeatable; default: the common ones)",
               [&](const OptionValue& value) {
                 (void)parse_filter(value.text);
                 request.names.push_back(value.text);
               },
               filter_words());
  table.flag("--peers", "measure vips, GraphicsMagick, ImageMagick and Pillow too, where they are installed",
             [&] { request.peers = true; });
  add_speed_options(table, request);
  table.flag("--json", "print one JSON object a line (default: tables)", [&] { request.json = true; });
  if (!table.parse(arguments).empty()) table.refuse("bench: takes no files");
  if (request.filters == request.device.has_value())
    table.refuse("bench: what to measure is not said; add --filters, --device cpu or --device cuda, one of them");
  for (const char* option : {"--threads", "--cpu-target", "--side"})
    if (table.given(option) && request.device != Device::cpu) table.refuse(fmt::format("{}: is for bench --device cpu", option));
  if (request.device == Device::cuda) return bench_cuda(request);
  if (request.device == Device::cpu) return bench_cpu(request);
  if (request.names.empty()) request.names.assign(std::begin(default_filters), std::end(default_filters));
  bench_filters(request);
  return 0;
}

}  // namespace upfirdn::cli
