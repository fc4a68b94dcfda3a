#include "io/exr/exr_picture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/formats.hpp"

namespace upfirdn::exr {
namespace {

constexpr std::size_t most_listed = 12;

std::vector<std::string> names_of(const std::vector<Channel>& channels) {
  std::vector<std::string> names;
  for (const Channel& channel : channels) names.push_back(channel.name);
  return names;
}

/// Colours of the default layer, or none.
std::vector<std::string> colours_among(const std::vector<std::string>& names, const ByteSource& source) {
  const auto has = [&](const char* name) { return std::ranges::find(names, name) != names.end(); };
  if (has("R") && has("G") && has("B")) return {"R", "G", "B"};
  if (has("RY") || has("BY"))
    throw image_error(source.name(), "luminance with chroma (channels Y, RY, BY) is not supported; store R, G and B");
  if (has("Y")) return {"Y"};
  return {};
}

const Channel& checked(const Part& part, const std::string& name, const ByteSource& source) {
  const Channel& channel = *std::ranges::find(part.channels, name, &Channel::name);
  if (channel.type == Channel::Type::integers)
    throw image_error(source.name(), fmt::format("channel {} holds 32-bit integers, which are not supported; store half or float", listed({name})));
  if (channel.x_sampling != 1 || channel.y_sampling != 1)
    throw image_error(source.name(), fmt::format("channel {} is subsampled, which is not supported; store it for every pixel", listed({name})));
  return channel;
}

}  // namespace

Picture picture_of(const Part& part, const ByteSource& source) {
  if (part.deep) throw image_error(source.name(), "deep data is not supported; store a flat image");
  Picture picture;
  const std::vector<std::string> names = names_of(part.channels);
  picture.channels = colours_among(names, source);
  const bool alpha = !picture.channels.empty() && std::ranges::find(names, "A") != names.end();
  if (alpha) picture.channels.emplace_back("A");
  if (picture.channels.empty() && names.size() == 1) picture.channels = names;
  if (picture.channels.empty())
    throw image_error(source.name(), fmt::format("it has no channels R, G, B or Y, only {}; store those that are wanted under these names",
                                                 names.empty() ? "none" : listed(names)));
  std::ranges::copy_if(names, std::back_inserter(picture.others),
                       [&](const std::string& name) { return std::ranges::find(picture.channels, name) == picture.channels.end(); });
  picture.info = {.width = part.data.width(), .height = part.data.height(), .channels = int(picture.channels.size()),
                  .type = PixelType::f16, .maxval = 1, .alpha = alpha ? Alpha::associated : Alpha::none};
  for (const std::string& name : picture.channels)
    if (checked(part, name, source).type == Channel::Type::floats) picture.info.type = PixelType::f32;
  return picture;
}

std::vector<std::string> usual_channels(const ImageInfo& info) {
  std::vector<std::string> names{"Y"};
  if (info.channels >= 3) names = {"R", "G", "B"};
  if (info.channels % 2 == 0) names.emplace_back("A");
  return names;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most_listed); ++i) text += (i == 0 ? "" : ", ") + names[i];
  std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return names.size() > most_listed ? fmt::format("{} and {} more", text, names.size() - most_listed) : text;
}

}  // namespace upfirdn::exr
