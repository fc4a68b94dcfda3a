#include <algorithm>
#include <iterator>

#include "io/dicom/data_set.hpp"

namespace upfirdn::dicom {
namespace {

struct Entry {
  Tag tag;
  Vr vr;
};

constexpr Entry entries[] = {
#include "dicom_dictionary.inc"
};

bool is_one_of(Vr v, std::initializer_list<Vr> list) { return std::find(list.begin(), list.end(), v) != list.end(); }

}  // namespace

Vr dictionary_vr(Tag tag) {
  const std::uint16_t group = group_of(tag), element = std::uint16_t(tag & 0xffffu);
  if (element == 0) return vr("UL");
  if (group % 2 != 0) return element >= 0x10 && element <= 0xff ? vr("LO") : vr("UN");  // a private creator, or its elements
  if ((group & 0xff00u) == 0x6000 || (group & 0xff00u) == 0x5000) tag &= 0xff00ffffu;   // every overlay, every curve
  const auto* const found = std::lower_bound(std::begin(entries), std::end(entries), tag,
                                             [](const Entry& entry, Tag wanted) { return entry.tag < wanted; });
  return found != std::end(entries) && found->tag == tag ? found->vr : vr("UN");
}

bool has_long_length(Vr v) {
  return is_one_of(v, {vr("OB"), vr("OD"), vr("OF"), vr("OL"), vr("OV"), vr("OW"), vr("SQ"), vr("SV"), vr("UC"), vr("UN"),
                       vr("UR"), vr("UT"), vr("UV")});
}

int unit_bytes(Vr v) {
  if (is_one_of(v, {vr("US"), vr("SS"), vr("xs"), vr("OW"), vr("AT")})) return 2;
  if (is_one_of(v, {vr("UL"), vr("SL"), vr("FL"), vr("OF"), vr("OL")})) return 4;
  if (is_one_of(v, {vr("FD"), vr("OD"), vr("OV"), vr("SV"), vr("UV")})) return 8;
  return 1;
}

}  // namespace upfirdn::dicom
