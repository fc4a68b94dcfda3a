#include "cli/arguments.hpp"

#include <fmt/format.h>

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
  std::string make_usage(const CLI::App*, std::string) const override { return "\nusage: " + usage_ + "\n"; }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_name().empty() ? "" : " " + option->get_type_name();
  }

 private:
  std::string usage_;
};

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

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
  Splitter(const CLI::App& table, const std::vector<std::string>& arguments)
      : table_(table), arguments_(arguments) {}

  void split() {
    for (; next_ < arguments_.size(); ++next_) {
      const std::string& token = arguments_[next_];
      if (token.empty()) throw Error(ExitCode::usage, "'': an empty file name; name a file" + see_help());
      if (options_ended_ || token == "-" || token[0] != '-') files.push_back(token);
      else if (token == "--") options_ended_ = true;
      else if (token[1] == '-') take_long(token);
      else take_short(token);
    }
  }

  std::vector<std::string> options, files;

 private:
  [[nodiscard]] std::string see_help() const { return "; see 'upfirdn " + table_.get_name() + " --help'"; }

  [[noreturn]] void unknown(const std::string& option) const {
    std::vector<std::string> known;
    for (const CLI::Option* candidate : table_.get_options()) {
      for (const std::string& name : candidate->get_lnames()) known.push_back("--" + name);
    }
    const std::string near = option.starts_with("--") ? nearest_word(option, known) : "";
    throw Error(ExitCode::usage, fmt::format("{}: unknown option{}{}", option,
                                             near.empty() ? "" : "; did you mean " + near + "?",
                                             near.empty() ? see_help() : ""));
  }

  void take_long(const std::string& token) {
    const std::size_t equals = token.find('=');
    const std::string name = token.substr(2, equals == std::string::npos ? equals : equals - 2);
    for (const CLI::Option* option : table_.get_options()) {
      if (!option->check_lname(name)) continue;
      if (equals == std::string::npos) return take(*option, "--" + name, nullptr);
      const std::string value = token.substr(equals + 1);
      if (!takes_value(*option)) {
        throw Error(ExitCode::usage, fmt::format("--{}: takes no value, '{}' was given{}", name, value, see_help()));
      }
      return take(*option, "--" + name, &value);
    }
    unknown("--" + name);
  }

  void take_short(const std::string& token) {
    for (std::size_t i = 1; i < token.size(); ++i) {
      const std::string name(1, token[i]);
      const CLI::Option* found = nullptr;
      for (const CLI::Option* option : table_.get_options()) {
        if (option->check_sname(name)) found = option;
      }
      if (found == nullptr) unknown("-" + name);
      if (!takes_value(*found) || i + 1 == token.size()) {
        take(*found, "-" + name, nullptr);
        continue;
      }
      const std::string value = token.substr(token[i + 1] == '=' ? i + 2 : i + 1);
      return take(*found, "-" + name, &value);
    }
  }

  void take(const CLI::Option& option, const std::string& given_name, const std::string* attached) {
    if (&option == table_.get_help_ptr()) throw HelpRequest{table_.help()};
    const std::string long_name = "--" + option.get_lnames().front();
    if (!takes_value(option)) {
      if (seen_.insert(&option).second) options.push_back(long_name);
      return;
    }
    if (!seen_.insert(&option).second) {
      throw Error(ExitCode::usage, given_name + ": given twice; give it once");
    }
    std::string value;
    if (attached != nullptr) {
      value = *attached;
    } else {
      const bool missing = next_ + 1 == arguments_.size() || looks_like_option(arguments_[next_ + 1]);
      if (missing) throw Error(ExitCode::usage, fmt::format("{}: needs a value ({}){}", given_name,
                                                            option.get_type_name(), see_help()));
      value = arguments_[++next_];
    }
    if (value.empty()) {
      throw Error(ExitCode::usage, fmt::format("{}: an empty value; write {}", given_name, option.get_type_name()));
    }
    options.push_back(long_name + "=" + value);
  }

  const CLI::App& table_;
  const std::vector<std::string>& arguments_;
  std::size_t next_ = 0;
  bool options_ended_ = false;
  std::set<const CLI::Option*> seen_;
};

}  // namespace

std::unique_ptr<CLI::App> make_option_table(const std::string& name, const std::string& usage,
                                            const std::string& summary, const std::string& examples) {
  auto table = std::make_unique<CLI::App>(summary, name);
  table->formatter(std::make_shared<HelpFormatter>("upfirdn " + name + " " + usage));
  table->set_help_flag("-h,--help", "print this help");
  table->footer("Examples:\n" + examples);
  return table;
}

std::vector<std::string> parse_arguments(CLI::App& table, const std::vector<std::string>& arguments) {
  Splitter splitter(table, arguments);
  splitter.split();
  std::reverse(splitter.options.begin(), splitter.options.end());
  try {
    table.parse(splitter.options);
  } catch (const CLI::ParseError& error) {
    throw Error(ExitCode::usage,
                fmt::format("{}; see 'upfirdn {} --help'", error.what(), table.get_name()));
  }
  return splitter.files;
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
