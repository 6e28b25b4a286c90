// What formatting needs of {fmt}, compiled once: there is no static library of it to link,
// preloaded libraries bring no shared one along, and included everywhere (header-only) it is a
// third of the time that everything takes to compile.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;
template thousands_sep_result<char> thousands_sep_impl(locale_ref);
template char decimal_point_impl(locale_ref);
template void buffer<char>::append(const char*, const char*);
#if FMT_VERSION < 110000  // no template any more from 11 on
template void vformat_to(buffer<char>&, string_view, basic_format_args<buffer_context<char>>, locale_ref);
#endif

}  // namespace detail
FMT_END_NAMESPACE
