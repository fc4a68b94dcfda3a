#include "cli/option_table.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <numeric>
#include <set>

#include "core/error.hpp"

namespace upfirdn::cli {
namespace {

/// Help with our own usage line and without CLI11's remarks on types.
class HelpFormatter final : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::string usage) : usage_(std::move(usage)) { column_width(32); }
  std::string make_usage(const CLI::App*, std::string) const override {
    return "\nusage: " + usage_ + "\n\n";
  }
  std::string make_group(std::string heading, bool, std::vector<const CLI::Option*> options) const override {
    std::string text = heading + ":\n";
    for (const CLI::Option* option : options) text += make_option(option, false);
    return text;
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_name().empty() ? "" : " " + option->get_type_name();
  }

 private:
  std::string usage_;
};

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

bool is_repeatable(const CLI::Option& option) {
  return option.get_items_expected_max() > 1;
}

/// "--format" of "-f,--format".
std::string long_name_of(const std::string& names) {
  const std::string rest = names.substr(names.find("--"));
  return rest.substr(0, rest.find(','));
}

/// "-f" and "--format" of "-f,--format".
std::vector<std::string> split_names(const std::string& names) {
  const auto parts = split_list(names);
  return {parts.begin(), parts.end()};
}

/// A token that can't be meant as a value: it begins with '-' and is neither "-" nor a number.
bool looks_like_option(std::string_view token) {
  if (token.size() < 2 || token[0] != '-') return false;
  const char next = token[1];
  return !(next >= '0' && next <= '9') && next != '.' && token != "-inf" && token != "-nan";
}

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    int diagonal = std::exchange(row[0], int(i) + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const int substituted = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

/// Splits arguments into options, rewritten as `--name=value` or `--name`, and files.
class Splitter {
 public:
  Splitter(const CLI::App& app, const OptionTable& table, const std::vector<std::string>& arguments)
      : app_(app), table_(table), arguments_(arguments) {}

  std::vector<std::string> options, files;

  void split() {
    bool options_ended = false;
    for (; next_ < arguments_.size(); ++next_) {
      const std::string& token = arguments_[next_];
      if (token.empty()) throw Error(ExitCode::usage, "'': is an empty file name; name a file");
      if (options_ended || token == "-" || token[0] != '-') {
        files.push_back(token);
      } else if (token == "--") {
        options_ended = true;
      } else if (token[1] == '-') {
        take_long(token);
      } else {
        take_short(token);
      }
    }
  }

 private:
  [[noreturn]] void unknown(const std::string& option) const {
    std::vector<std::string> known;
    for (const CLI::Option* candidate : app_.get_options()) {
      for (const std::string& name : candidate->get_lnames()) known.push_back("--" + name);
    }
    const std::string near = nearest_word(option, known);
    if (near.empty()) table_.refuse(option + ": unknown option");
    throw Error(ExitCode::usage, fmt::format("{}: unknown option; did you mean {}?", option, near));
  }

  void take_long(const std::string& token) {
    const std::size_t equals = token.find('=');
    const std::string name = token.substr(0, equals);
    for (const CLI::Option* option : app_.get_options()) {
      if (!option->check_lname(name.substr(2))) continue;
      if (equals == std::string::npos) return take(*option, name, nullptr);
      const std::string value = token.substr(equals + 1);
      if (!takes_value(*option))
        table_.refuse(fmt::format("{}: takes no value, '{}' was given", name, value));
      return take(*option, name, &value);
    }
    unknown(name);
  }

  /// A cluster of letters; the first that takes a value takes the rest.
  void take_short(const std::string& token) {
    for (std::size_t i = 1; i < token.size(); ++i) {
      const std::string letter(1, token[i]);
      const auto options_of_app = app_.get_options();
      const auto found = std::find_if(options_of_app.begin(), options_of_app.end(),
                                      [&](const CLI::Option* option) { return option->check_sname(letter); });
      if (found == options_of_app.end()) unknown("-" + letter);
      if (takes_value(**found) && i + 1 < token.size()) {
        const std::string value = token.substr(token[i + 1] == '=' ? i + 2 : i + 1);
        return take(**found, "-" + letter, &value);
      }
      take(**found, "-" + letter, nullptr);
    }
  }

  void take(const CLI::Option& option, const std::string& given_name, const std::string* attached) {
    if (&option == app_.get_help_ptr()) throw table_.help();
    const std::string long_name = "--" + option.get_lnames().front();
    const bool first = seen_.insert(&option).second;
    if (!takes_value(option)) {
      if (first) options.push_back(long_name);
      return;
    }
    if (!first && !is_repeatable(option)) throw Error(ExitCode::usage, given_name + ": is given twice; give it once");
    if (attached == nullptr && (next_ + 1 == arguments_.size() || looks_like_option(arguments_[next_ + 1]))) {
      table_.refuse(fmt::format("{}: needs a value ({})", given_name, option.get_type_name()));
    }
    const std::string& value = attached != nullptr ? *attached : arguments_[++next_];
    if (value.empty()) {
      throw Error(ExitCode::usage,
                  fmt::format("{}: its value is empty; write {}", given_name, option.get_type_name()));
    }
    options.push_back(long_name + "=" + value);
  }

  const CLI::App& app_;
  const OptionTable& table_;
  const std::vector<std::string>& arguments_;
  std::size_t next_ = 0;
  std::set<const CLI::Option*> seen_;
};

}  // namespace

OptionTable::OptionTable(const std::string& name, const std::string& usage, const std::string& text,
                         const std::string& footer)
    : app_(std::make_unique<CLI::App>(text, name)), description_{.name = name, .usage = usage, .text = text, .footer = footer} {
  app_->formatter(std::make_shared<HelpFormatter>("upfirdn " + name + " " + usage));
  app_->set_help_flag("-h,--help", "print this help");
  describe("-h,--help", {.help = "print this help"});
}

OptionTable::~OptionTable() = default;

void OptionTable::describe(const std::string& names, OptionDescription option) {
  option.names = split_names(names);
  option.group = group_;
  description_.options.push_back(std::move(option));
}

void OptionTable::value(const std::string& names, const std::string& placeholder, const std::string& help, const Setter& set,
                        const std::vector<std::string>& words) {
  const auto store = [set, name = long_name_of(names)](const std::string& text) { set({name, text}); };
  app_->add_option_function<std::string>(names, store, help)->type_name(placeholder)->group(group_);
  describe(names, {.placeholder = placeholder, .help = help, .kind = words.empty() ? ValueKind::text : ValueKind::words, .words = words});
}

void OptionTable::values(const std::string& names, const std::string& placeholder, const std::string& help, const Setter& set,
                         const std::vector<std::string>& words) {
  const auto store = [set, name = long_name_of(names)](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) set({name, text});
  };
  app_->add_option_function<std::vector<std::string>>(names, store, help)->type_name(placeholder)->group(group_);
  describe(names, {.placeholder = placeholder, .help = help, .kind = words.empty() ? ValueKind::text : ValueKind::words, .words = words,
                   .repeatable = true});
}

void OptionTable::file(const std::string& names, const std::string& placeholder, const std::string& help, std::string& target) {
  value(names, placeholder, help, [&target](const OptionValue& v) { target = v.text; });
  description_.options.back().kind = ValueKind::file;
}

void OptionTable::word(const std::string& names, const std::string& placeholder, const std::string& help, std::string& target,
                       const std::vector<std::string>& words) {
  Words<std::string> themselves;
  for (const std::string& word : words) themselves.emplace_back(word, word);
  word<std::string>(names, placeholder, help, target, themselves);
}

void OptionTable::flag(const std::string& names, const std::string& help, const std::function<void()>& set) {
  app_->add_flag_callback(names, set, help)->group(group_);
  describe(names, {.help = help});
}

HelpRequest OptionTable::help() const {
  app_->footer(note_ + description_.footer);
  return {app_->help(), description_};
}

std::vector<std::string> OptionTable::parse(const std::vector<std::string>& arguments) {
  Splitter splitter(*app_, *this, arguments);
  splitter.split();
  std::reverse(splitter.options.begin(), splitter.options.end());
  try {
    app_->parse(splitter.options);
  } catch (const CLI::ParseError& error) {
    refuse(error.what());
  }
  return splitter.files;
}

bool OptionTable::given(const std::string& name) const {
  return app_->count(name) != 0;
}

void OptionTable::refuse_both(const std::string& a, const std::string& b) const {
  if (given(a) && given(b)) throw Error(ExitCode::usage, a + ": contradicts " + b + "; give one of them");
}

void OptionTable::refuse(const std::string& message) const {
  throw Error(ExitCode::usage, message + "; see 'upfirdn " + description_.name + " --help'");
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
  std::string nearest;
  int least = 3;
  for (const std::string& candidate : known) {
    const int distance = edit_distance(word, candidate);
    if (distance < least && distance < int(candidate.size()) / 2) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace upfirdn::cli
