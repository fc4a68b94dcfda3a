#include <fmt/format.h>

#include <sstream>

#include "docs/documents.hpp"
#include "filters/kernel.hpp"

namespace upfirdn::docs {
namespace {

constexpr auto description = R"(.SH DESCRIPTION
.B upfirdn
resamples images with FIR filters on the CPU or on CUDA; both give the same bytes.
.B resize
brings images to a size, aligned and anti-aliased;
.B filter
computes the operator upfirdn2d to the letter: zeros are inserted, a filter is applied, every n\-th sample is kept.
Sample depth is kept: 16 bits stay 16 bits, floats stay floats.
.PP
The content of an input decides its format, the extension of the output (or \fB\-\-format\fR) the format of the output.
A \fB\-\fR is standard input or output.
Several inputs, or a folder, need a folder as output: one that exists, or a name that ends in \(aq/\(aq.
Outputs that exist are refused unless \fB\-\-overwrite\fR, \fB\-\-skip\-existing\fR or \fB\-\-update\fR is given.
.PP
\fB\-\-option\fR \fIVALUE\fR and \fB\-\-option=\fR\fIVALUE\fR are the same, values may begin with \(aq\-\(aq
(\fB\-\-pad\fR \-1,2), and \fB\-\-\fR ends options.
)";

constexpr auto ending = R"(.SH EXIT STATUS
.TP
.B 0
all done
.TP
.B 1
some image failed; it is named on standard error, the others are done
.TP
.B 2
usage: wrong whatever the files hold; nothing was read or written
.TP
.B 3
the device asked for can\(aqt be used
.TP
.B 4
\fB\-\-verify\fR or \fBcompare\fR found a mismatch
.TP
.B 130, 143
interrupted, terminated
.PP
Every error is one line on standard error: what is wrong, and what to do.
.SH EXAMPLES
A quarter as wide and high, the depth is kept:
.PP
.EX
upfirdn resize scan.png \-o small.png \-\-scale 1/4
.EE
.PP
Thumbnails of a folder and those below it:
.PP
.EX
upfirdn resize scans \-r \-o thumbs/ \-\-fit 128x128 \-\-depth 8 \-\-format jpg
.EE
.PP
The operator with own taps:
.PP
.EX
upfirdn filter in.npy \-o out.npy \-\-taps 1,3,3,1 \-\-down 2
.EE
.PP
How two images differ; exits with 4 where they do by more than 1:
.PP
.EX
upfirdn compare a.png b.png \-\-max 1
.EE
.SH SEE ALSO
.BR gm (1),
.BR vips (1),
.BR dcm2pnm (1)
)";

/// Text for troff: characters that it or a terminal would change are named, and no line is taken for a request.
std::string roff(const std::string& text) {
  std::string result;
  if (text.starts_with('.') || text.starts_with('\'')) result = "\\&";
  for (const char c : text) {
    switch (c) {
      case '\\': result += "\\e"; break;
      case '-': result += "\\-"; break;
      case '\'': result += "\\(aq"; break;
      case '^': result += "\\(ha"; break;
      case '~': result += "\\(ti"; break;
      case '`': result += "\\(ga"; break;
      default: result += c;
    }
  }
  return result;
}

/// Whole lines: indented ones are shown as they are, others are paragraphs.
std::string paragraphs(const std::string& lines) {
  std::string text;
  bool literal = false, filled = false;
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) {
    const bool indented = line.starts_with("  ");
    if (literal && !indented) text += ".EE\n";
    if (indented && !literal) text += ".PP\n.EX\n";
    if (!indented && !line.empty() && !filled) text += ".PP\n";
    if (!line.empty()) text += roff(indented ? line.substr(2) : line) + "\n";
    literal = indented;
    filled = !indented && !line.empty();
  }
  return literal ? text + ".EE\n" : text;
}

std::string option_text(const cli::OptionDescription& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back(fmt::format("\\fB{}\\fR", roff(name)));
  const std::string value = option.placeholder.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(option.placeholder));
  return fmt::format(".TP\n{}{}\n{}\n", fmt::join(names, ", "), value, roff(option.help));
}

std::string section(const cli::CommandDescription& command) {
  std::string text = fmt::format(".SH UPFIRDN {}\n\\fBupfirdn {}\\fR {}\n.PP\n{}\n", command.name, command.name, roff(command.usage),
                                 roff(command.text));
  std::string group;
  for (const cli::OptionDescription& option : command.options) {
    if (option.group != group) text += fmt::format(".SS {}\n", roff(option.group));
    group = option.group;
    text += option_text(option);
  }
  return text + paragraphs(command.footer);
}

}  // namespace

std::string man_page(const Commands& commands, const std::string& version) {
  std::string text = fmt::format(
      ".\\\" Made from the options of upfirdn.\n.TH UPFIRDN 1 \"\" \"upfirdn {}\" \"User Commands\"\n"
      ".SH NAME\nupfirdn \\- resample images with FIR filters on the CPU or on CUDA\n.SH SYNOPSIS\n.nh\n",
      version);
  for (const cli::CommandDescription& command : commands)
    text += fmt::format("\\fBupfirdn {}\\fR {}\n.br\n", command.name, roff(command.usage));
  text += "\\fBupfirdn\\fR [\\fICOMMAND\\fR] \\fB\\-\\-help\\fR\n.br\n\\fBupfirdn \\-\\-version\\fR\n.hy\n";
  text += description;
  text += ".SH COMMANDS\n";
  for (const cli::CommandDescription& command : commands) text += fmt::format(".TP\n.B {}\n{}\n", command.name, roff(command.summary));
  for (const cli::CommandDescription& command : commands) text += section(command);
  text += ".SH FILTERS\nNames that \\fB\\-\\-filter\\fR knows, with the defaults of their parameters:\n";
  text += paragraphs(fmt::format("  {}\n", fmt::join(describe_filters(), "\n  ")));
  return text + ending;
}

}  // namespace upfirdn::docs
