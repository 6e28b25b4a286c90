#include "tools/report/page.hpp"

#include <fmt/format.h>

#include "base/document.hpp"
#include "base/json.hpp"
#include "base/markup.hpp"
#include "tools/report/assets.hpp"
#include "tools/report/summary.hpp"

namespace tutti::tools {
namespace {

// JSON within a script element: no "</script>" can be in it.
std::string within_script(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) c == '<' ? text += "\\u003c" : text += c;
  return text;
}

}  // namespace

std::string to_page(const Json& document) {
  return fmt::format(
      R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>What Tutti gains</title>
<style>
{}</style>
</head>
<body>
<a class="skip" href="#report">Skip to the report</a>
<main id="report" tabindex="-1"></main>
<noscript><pre>{}</pre></noscript>
<div id="said" class="unseen" role="status" aria-live="polite"></div>
<script type="application/json" id="document">{}</script>
<script>
{}
</script>
<script>
{}</script>
</body>
</html>
)",
      assets::style, escaped(to_markdown(document)), within_script(json_text(document)), assets::charts,
      assets::script);
}

}  // namespace tutti::tools
