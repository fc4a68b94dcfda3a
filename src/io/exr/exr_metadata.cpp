#include "io/exr/exr_metadata.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "io/formats.hpp"
#include "core/utf8.hpp"

namespace upfirdn::exr {
namespace {

/// Attributes that are made anew: they follow from the samples, from the windows or from the resolution.
constexpr std::string_view made_anew[] = {"channels", "chunkCount", "compression", "dataWindow", "displayWindow", "lineOrder", "maxSamplesPerPixel",
                                          "pixelAspectRatio", "tiles", "type", "version", "xDensity"};
/// What is always there and what other formats hold in their own way.
constexpr std::string_view said_otherwise[] = {"screenWindowCenter", "screenWindowWidth", "chromaticities"};
/// Texts that tell of the part, not of the picture.
constexpr std::string_view labels[] = {"name", "view"};
constexpr std::string_view zip = "zip";

bool is_among(std::span<const std::string_view> names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

std::string text_of(const Attribute& attribute) {
  std::string text(reinterpret_cast<const char*>(attribute.value.data()), attribute.value.size());
  text.resize(std::min(text.size(), text.find('\0')));
  return is_utf8(text) ? text : utf8_of_latin1(text);
}

Attribute text_attribute(const std::string& name, const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {name, "string", {bytes.begin(), bytes.end()}};
}

/// Keywords of texts (PNG's) for attributes that mean the same.
std::string keyword_of(const std::string& name) {
  if (name == "comments") return "Comment";
  return name == "owner" ? "Copyright" : name;
}

/// The exact value; nothing for one that no resolution can have.
std::optional<Fraction> fraction_of(const Attribute* attribute) {
  if (attribute == nullptr) return std::nullopt;
  const double value = double(attribute->number(0));
  if (!(value > 1e-6 && value < 1e6)) return std::nullopt;
  int exponent = 0;
  const double part = std::frexp(value, &exponent);  // floats have 24 bits
  return make_fraction(std::llround(std::ldexp(part, 24)), Int128(1) << (24 - exponent));
}

/// Pixels an inch along x; along y by the aspect of a pixel, width / height. An aspect of 1 alone tells nothing.
std::optional<Resolution> resolution_of(const Part& part) {
  const auto density = fraction_of(part.find("xDensity", "float"));
  const Fraction one{1, 1}, aspect = fraction_of(part.find("pixelAspectRatio", "float")).value_or(one);
  if (density) return Resolution{*density, *density * aspect, Resolution::Unit::inch};
  if (aspect == one) return std::nullopt;
  return Resolution{one, aspect, Resolution::Unit::none};
}

std::optional<Chromaticities> chromaticities_of(const Part& part) {
  const Attribute* attribute = part.find("chromaticities", "chromaticities");
  if (attribute == nullptr) return std::nullopt;
  Chromaticities result{};
  for (std::size_t i = 0; i < result.size(); ++i) {
    const float value = attribute->number(i < 2 ? 24 + 4 * i : 4 * (i - 2));  // white is the last of four
    if (!(value >= 0 && value < 10)) return std::nullopt;
    result[i] = std::llround(double(value) * 1e6);
  }
  return result;
}

Attribute chromaticities_attribute(const Chromaticities& told) {
  const auto number = [&](std::size_t i) { return float(double(told[i]) / 1e6); };
  return attribute_of("chromaticities", "chromaticities", number(2), number(3), number(4), number(5), number(6), number(7), number(0), number(1));
}

std::string place_of(const Windows& windows) {
  const Window &data = windows.data, &display = windows.display;
  return fmt::format("data window from {},{} on in a display window of {}x{} from {},{} on", data.min_x, data.min_y, display.width(),
                     display.height(), display.min_x, display.min_y);
}

/// Attributes that only EXR holds.
std::vector<std::string> own_attributes(const std::vector<Attribute>& attributes) {
  std::vector<std::string> names;
  for (const Attribute& attribute : attributes)
    if (attribute.type != "string" && !is_among(said_otherwise, attribute.name)) names.push_back(attribute.name);
  return names;
}

/// Takes what EXR has a place for from the metadata of another format.
std::vector<Attribute> attributes_of(const PictureMetadata& told, std::vector<std::string>& notes) {
  std::vector<Attribute> attributes;
  if (told.chromaticities) attributes.push_back(chromaticities_attribute(*told.chromaticities));
  std::vector<std::string> comments;
  for (const Text& text : told.texts) {
    if (text.keyword == "Copyright") attributes.push_back(text_attribute("owner", text.text));
    else if (text.keyword == "Comment" || text.keyword == "Description") comments.push_back(text.text);
    else comments.push_back(fmt::format("{}: {}", text.keyword, text.text));
  }
  if (!comments.empty()) attributes.push_back(text_attribute("comments", fmt::format("{}", fmt::join(comments, "\n"))));
  if (!told.profile.empty() || !told.exif.empty() || !told.xmp.empty()) notes.emplace_back("EXR cannot hold an ICC profile, EXIF or XMP: left out");
  constexpr std::uint32_t linear = 100000;
  if (told.srgb_intent || told.gamma.value_or(linear) != linear)
    notes.emplace_back("EXR is meant for linear light: the samples are stored as they are, their gamma is left out");
  return attributes;
}

/// The number of `--compression`; without it the input's where it keeps samples as they are, else zip.
std::uint8_t choose_compression(const CodecOptions& options, const ExrMetadata* own) {
  const auto all = compressions();
  if (options.compression.empty() && own != nullptr && all[own->exr_compression].lossless) return own->exr_compression;
  const std::string_view wanted = options.compression.empty() ? zip : std::string_view(options.compression);
  const auto found = std::ranges::find_if(all, [&](const Compression& one) { return wanted == one.name; });
  if (found != all.end()) return std::uint8_t(found - all.begin());
  std::vector<const char*> names;
  for (const Compression& one : all) names.push_back(one.name);
  throw Error(ExitCode::usage, fmt::format("--compression {}: unknown for EXR; use one of {}", wanted, fmt::join(names, ", ")));
}

/// Width / height of a pixel. Sides that were rounded to whole pixels do not make pixels of equal sides unequal.
float aspect_of(const std::optional<Resolution>& resolution, const ImageInfo& output, bool same_scale) {
  if (!resolution) return 1;
  const double aspect = to_double(resolution->y / resolution->x);
  const bool rounded = !same_scale && std::abs(aspect - 1) <= 1.0 / double(std::min(output.width, output.height));
  return rounded ? 1 : float(aspect);
}

Attribute window_attribute(const char* name, const Window& window) {
  return attribute_of(name, "box2i", window.min_x, window.min_y, window.max_x, window.max_y);
}

}  // namespace

std::vector<std::string> ExrMetadata::kinds() const {
  std::vector<std::string> kinds = PictureMetadata::kinds();
  if (channels.size() == 1 && channels[0] != "Y") kinds.push_back(fmt::format("channel {}", listed(channels)));
  if (windows.data != windows.display) kinds.push_back(place_of(windows));
  if (const auto own = own_attributes(attributes); !own.empty()) kinds.push_back(fmt::format("attributes {}", listed(own)));
  return kinds;
}

std::shared_ptr<const ExrMetadata> read_metadata(const Part& part, const Picture& picture) {
  auto told = std::make_shared<ExrMetadata>();
  for (const Attribute& attribute : part.attributes) {
    if (attribute.name == "preview") told->left_out_always.emplace_back("the preview is left out");
    else if (!is_among(made_anew, attribute.name)) told->attributes.push_back(attribute);
  }
  for (const Attribute& attribute : told->attributes)
    if (attribute.type == "string" && !attribute.value.empty() && !is_among(labels, attribute.name)) told->texts.push_back({keyword_of(attribute.name), text_of(attribute)});
  told->resolution = resolution_of(part);
  told->chromaticities = chromaticities_of(part);
  told->windows = {part.data, part.display};
  told->channels = picture.channels;
  told->exr_compression = part.compression;
  if (!picture.others.empty()) told->left_out_always.push_back(fmt::format("the channels {} are left out", listed(picture.others)));
  told->left_out = told->left_out_always;
  if (part.data != part.display) told->left_out.push_back(fmt::format("only EXR holds the place of the {}: it is left out", place_of(told->windows)));
  if (const auto own = own_attributes(told->attributes); !own.empty())
    told->left_out.push_back(fmt::format("only EXR holds the attributes {}: they are left out", listed(own)));
  return told;
}

Header outgoing_header(const CodecOptions& options, const ImageInfo& output) {
  Header header;
  const PictureMetadata told = outgoing_metadata(options, output);
  const Origin nowhere{};
  const Origin& origin = options.origin == nullptr ? nowhere : *options.origin;
  const auto* own = dynamic_cast<const ExrMetadata*>(origin.metadata.get());
  Windows windows{{0, 0, std::int32_t(output.width - 1), std::int32_t(output.height - 1)}, {}};
  windows.display = windows.data;
  if (own != nullptr) windows = placed(own->windows, origin, output);
  if (!windows.exact) header.notes.emplace_back("the data window is up to half a pixel beside its place: its origin is no whole number of output pixels");
  if (!options.strip) {
    header.notes.insert(header.notes.end(), own == nullptr ? told.left_out.begin() : own->left_out_always.begin(),
                        own == nullptr ? told.left_out.end() : own->left_out_always.end());
    header.attributes = own == nullptr ? attributes_of(told, header.notes) : own->attributes;
  }
  const bool same_scale = options.keep_dpi || origin.x.pitch == origin.y.pitch;
  header.attributes.push_back(attribute_of("pixelAspectRatio", "float", aspect_of(told.resolution, output, same_scale)));
  if (told.resolution && told.resolution->unit != Resolution::Unit::none)
    header.attributes.push_back(attribute_of("xDensity", "float", float(to_double(told.resolution->in(Resolution::Unit::inch).x))));
  header.attributes.push_back(window_attribute("dataWindow", windows.data));
  header.attributes.push_back(window_attribute("displayWindow", windows.display));
  header.attributes.push_back(attribute_of("compression", "compression", choose_compression(options, own)));
  const bool same_channels = own != nullptr && own->channels.size() == std::size_t(output.channels);
  header.channels = same_channels ? own->channels : usual_channels(output);
  return header;
}

}  // namespace upfirdn::exr
