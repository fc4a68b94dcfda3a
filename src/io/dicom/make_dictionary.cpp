/// Prints what GDCM's dictionary says of the value representations of standard elements, as rows of a table for
/// dictionary.cpp. Runs when the program is built.

#include <gdcmDict.h>
#include <gdcmDicts.h>
#include <gdcmGlobal.h>

#include <cstdio>
#include <cstring>

namespace {

/// The letters in the table: where the standard leaves a choice, that of other writers (numbers as US until the sign is
/// known, tables and pixels as OW).
const char* letters(gdcm::VR::VRType vr) {
  switch (vr) {
    case gdcm::VR::US_SS: return "xs";
    case gdcm::VR::US_SS_OW:
    case gdcm::VR::OB_OW:
    case gdcm::VR::US_OW: return "OW";
    default: return gdcm::VR::GetVRString(vr);
  }
}

}  // namespace

int main() {
  const gdcm::Dict& dictionary = gdcm::Global::GetInstance().GetDicts().GetPublicDict();
  for (auto entry = dictionary.Begin(); entry != dictionary.End(); ++entry) {
    const gdcm::Tag tag = entry->first;
    const char* vr = letters(entry->second.GetVR());
    if (vr != nullptr && std::strlen(vr) == 2)
      std::printf("{0x%04x%04x, {'%c', '%c'}},\n", tag.GetGroup(), tag.GetElement(), vr[0], vr[1]);
  }
}
