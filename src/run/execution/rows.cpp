#include "run/execution/rows.hpp"

#include <climits>
#include <map>
#include <mutex>
#include <stdexcept>

#include "run/execution/constants.hpp"
#include "run/mpi/self_comm.hpp"
#include "run/mpi/type_envelope.hpp"

namespace tutti::run {
namespace {

constexpr std::ptrdiff_t distance(std::size_t bytes) {
  return static_cast<std::ptrdiff_t>(bytes);
}

// Whether `next` follows one row as one more of that distance, or the same stretch.
bool joined(Rows& last, const Rows& next) {
  if (last.count == 1 && next.count == 1 && last.end() == next.begin &&
      last.packed + last.width == next.packed) {
    last.width += next.width;
    return true;
  }
  if (last.width != next.width) return false;
  if (last.count == 1) {  // two that define a distance
    const std::ptrdiff_t pitch = next.begin - last.begin;
    if (next.packed <= last.packed || pitch < distance(last.width)) return false;
    const auto packed_pitch = next.packed - last.packed;
    if (next.count > 1 &&
        (next.pitch != static_cast<std::size_t>(pitch) || next.packed_pitch != packed_pitch))
      return false;
    last.pitch = static_cast<std::size_t>(pitch);
    last.packed_pitch = packed_pitch;
  } else if (next.begin != last.begin + distance(last.count * last.pitch) ||
             next.packed != last.packed + last.count * last.packed_pitch ||
             (next.count > 1 && (next.pitch != last.pitch || next.packed_pitch != last.packed_pitch))) {
    return false;
  }
  last.count += next.count;
  return true;
}

// A list so many times, each `stride` bytes behind the one before, whose data are `size` bytes.
RowsList repeated(const RowsList& list, std::size_t times, std::ptrdiff_t stride, std::size_t size) {
  RowsList all;
  const auto shifted = [&](Rows rows, std::size_t time) {
    rows.begin += distance(time) * stride;
    rows.packed += time * size;
    return rows;
  };
  if (times == 0) return all;
  if (list.size() == 1 && list[0].count == 1 && stride == distance(list[0].width) && size == list[0].width) {
    all = list;
    all[0].width *= times;
    return all;
  }
  if (list.size() == 1 && list[0].count > 1 && stride == distance(list[0].count * list[0].pitch) &&
      size == list[0].count * list[0].packed_pitch) {
    all = list;
    all[0].count *= times;
    return all;
  }
  // The fewer of: each row all the times, each time all the rows.
  for (const Rows& rows : list)
    if (stride >= distance(rows.width) && times > rows.count)
      for (std::size_t row = 0; row < rows.count; ++row)
        append(all, {rows.begin + distance(row * rows.pitch), static_cast<std::size_t>(stride),
                     rows.packed + row * rows.packed_pitch, size, rows.width, times});
    else
      for (std::size_t time = 0; time < times; ++time) append(all, shifted(rows, time));
  return all;
}

// Finds out where an element's data lie by unpacking one whose bytes say what number they have, a
// digit at a time. The type need not be committed.
int look_at_unpacked(MPI_Datatype of, RowsList& into) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (const int error = PMPI_Type_dup(of, &type); error != MPI_SUCCESS) return error;
  const OwnType own(type);
  PMPI_Type_commit(&type);
  constexpr std::size_t base = UCHAR_MAX;  // a gap stays zero
  MPI_Aint true_lb = 0, true_extent = 0;
  int size = 0;
  PMPI_Type_get_true_extent(type, &true_lb, &true_extent);
  if (PMPI_Type_size(type, &size) != MPI_SUCCESS || size == MPI_UNDEFINED || size < 0) return MPI_ERR_TYPE;
  const auto bytes = static_cast<std::size_t>(size);
  std::vector<unsigned char> digits(bytes), unpacked(static_cast<std::size_t>(true_extent));
  std::vector<std::size_t> places, numbers;
  for (std::size_t digit = 1; digit <= bytes; digit *= base) {
    for (std::size_t byte = 0; byte < bytes; ++byte)
      digits[byte] = static_cast<unsigned char>(byte / digit % base + 1);
    int position = 0;
    if (const int error =
            PMPI_Unpack(digits.data(), size, &position, unpacked.data() - true_lb, 1, type, self_comm::get());
        error != MPI_SUCCESS)
      return error;
    for (std::size_t at = 0; digit == 1 && at < unpacked.size(); ++at)
      if (unpacked[at] != 0) places.push_back(at);
    numbers.resize(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) numbers[i] += (unpacked[places[i]] - 1U) * digit;
  }
  std::vector<std::size_t> place_of(bytes);
  for (std::size_t i = 0; i < places.size(); ++i) place_of[numbers[i]] = places[i];
  for (std::size_t byte = 0; byte < bytes; ++byte)
    append(into, {.begin = distance(place_of[byte]) + true_lb, .packed = byte, .width = 1});
  return MPI_SUCCESS;
}

// Follows how a type was made.
class Decoding {
 public:
  explicit Decoding(MPI_Datatype type) : type_(type) {}

  // Adds an element's rows to an empty list. Returns MPI's error code.
  int rows(RowsList& into) {
    TypeEnvelope envelope;
    if (envelope.read(type_) != MPI_SUCCESS || envelope.counts > 0) return look_at_unpacked(type_, into);
    if (envelope.is_predefined()) return predefined(into);
    TypeContents contents;
    if (const int error = contents.read(type_, envelope); error != MPI_SUCCESS) return error;
    const std::vector<int>& i = contents.integers;
    const std::vector<MPI_Aint>& a = contents.addresses;
    inner_.resize(contents.types.size());
    for (std::size_t t = 0; t < inner_.size(); ++t)
      if (const int error = inner_[t].read(contents.types[t]); error != MPI_SUCCESS) return error;
    const auto at = [](const auto& values, std::size_t index) {
      return static_cast<std::ptrdiff_t>(values[index]);
    };
    switch (envelope.combiner) {
      case MPI_COMBINER_DUP:
      case MPI_COMBINER_RESIZED:
        return add(into, 0, 1, 0);
      case MPI_COMBINER_CONTIGUOUS:
        return add(into, 0, i[0], 0);
      case MPI_COMBINER_VECTOR:
        return add_vector(into, i[0], i[1], i[2] * inner_[0].extent);
      case MPI_COMBINER_HVECTOR:
        return add_vector(into, i[0], i[1], a[0]);
      case MPI_COMBINER_INDEXED:
        return add_blocks(
            into, i[0], [&](std::size_t b) { return i[1 + b]; },
            [&](std::size_t b) { return at(i, 1 + static_cast<std::size_t>(i[0]) + b) * inner_[0].extent; });
      case MPI_COMBINER_HINDEXED:
        return add_blocks(
            into, i[0], [&](std::size_t b) { return i[1 + b]; }, [&](std::size_t b) { return at(a, b); });
      case MPI_COMBINER_INDEXED_BLOCK:
        return add_blocks(
            into, i[0], [&](std::size_t) { return i[1]; },
            [&](std::size_t b) { return at(i, 2 + b) * inner_[0].extent; });
      case MPI_COMBINER_HINDEXED_BLOCK:
        return add_blocks(
            into, i[0], [&](std::size_t) { return i[1]; }, [&](std::size_t b) { return at(a, b); });
      case MPI_COMBINER_STRUCT:
        for (std::size_t b = 0; b < static_cast<std::size_t>(i[0]); ++b) add(into, at(a, b), i[1 + b], b);
        return MPI_SUCCESS;
      case MPI_COMBINER_SUBARRAY:
        return add_subarray(into, i);
      default:
        return look_at_unpacked(type_, into);
    }
  }

 private:
  // A type that this one is made from.
  struct Inner {
    RowsList rows;
    std::size_t size = 0;
    std::ptrdiff_t extent = 0;

    int read(MPI_Datatype type) {
      MPI_Aint lb = 0, bytes = 0;
      PMPI_Type_get_extent(type, &lb, &bytes);
      extent = bytes;
      const int error = Decoding(type).rows(rows);
      for (const Rows& some : rows) size += some.bytes();
      return error;
    }
  };

  int predefined(RowsList& into) const {
    MPI_Aint lb = 0, extent = 0;
    int size = 0;
    PMPI_Type_get_extent(type_, &lb, &extent);
    PMPI_Type_size(type_, &size);
    if (size == 0) return MPI_SUCCESS;
    if (size != extent) return look_at_unpacked(type_, into);
    append(into, {.width = static_cast<std::size_t>(size)});
    return MPI_SUCCESS;
  }

  int add(RowsList& into, const RowsList& what, std::ptrdiff_t shift) {
    std::size_t bytes = 0;
    for (Rows rows : what) {
      bytes += rows.bytes();
      rows.begin += shift;
      rows.packed += packed_;
      append(into, rows);
    }
    packed_ += bytes;
    return MPI_SUCCESS;
  }
  int add(RowsList& into, std::ptrdiff_t shift, int times, std::size_t which) {
    const Inner& inner = inner_[which];
    return add(into, repeated(inner.rows, static_cast<std::size_t>(times), inner.extent, inner.size), shift);
  }
  int add_vector(RowsList& into, int blocks, int length, std::ptrdiff_t stride) {
    const Inner& inner = inner_[0];
    const auto elements = static_cast<std::size_t>(length);
    return add(into,
               repeated(repeated(inner.rows, elements, inner.extent, inner.size),
                        static_cast<std::size_t>(blocks), stride, elements * inner.size),
               0);
  }
  int add_blocks(RowsList& into, int blocks, auto&& length, auto&& displacement) {
    for (std::size_t b = 0; b < static_cast<std::size_t>(blocks); ++b)
      add(into, displacement(b), length(b), 0);
    return MPI_SUCCESS;
  }
  // The numbers are those of dimensions, then sizes, subsizes and starts of each, and the order.
  int add_subarray(RowsList& into, const std::vector<int>& i) {
    const auto dimensions = static_cast<std::size_t>(i[0]);
    const auto number = [&](std::size_t group, std::size_t dimension) {
      return static_cast<std::size_t>(i[1 + group * dimensions + dimension]);
    };
    const bool first_is_fastest = i[1 + 3 * dimensions] == MPI_ORDER_FORTRAN;
    RowsList rows = inner_[0].rows;
    std::size_t size = inner_[0].size;
    std::ptrdiff_t stride = inner_[0].extent, begin = 0;
    for (std::size_t step = 0; step < dimensions; ++step) {
      const std::size_t dimension = first_is_fastest ? step : dimensions - 1 - step;
      rows = repeated(rows, number(1, dimension), stride, size);
      size *= number(1, dimension);
      begin += distance(number(2, dimension)) * stride;
      stride *= distance(number(0, dimension));
    }
    return add(into, rows, begin);
  }

  MPI_Datatype type_;
  std::vector<Inner> inner_;
  std::size_t packed_ = 0;  // bytes added so far
};

// Where data of types lie, by their numbers, which are never given twice.
struct LookedAt {
  std::mutex mutex;
  std::map<std::uint64_t, RowsList> types;
};
LookedAt& looked_at() {
  static auto* const all = new LookedAt;  // calls may come when statics are gone
  return *all;
}

RowsList rows_of_one(MPI_Datatype type, const TypeInfo& info) {
  LookedAt& all = looked_at();
  const std::lock_guard lock(all.mutex);
  if (const auto known = all.types.find(info.id); known != all.types.end()) return known->second;
  RowsList rows;
  if (Decoding(type).rows(rows) != MPI_SUCCESS)
    throw std::runtime_error(
        "the MPI library does not tell where the data of a datatype lie that is used on a device; "
        "TUTTI_DEVICE=native leaves such programs' calls to it");
  if (all.types.size() >= execution::most_types_looked_at) all.types.clear();
  all.types[info.id] = rows;
  return rows;
}

}  // namespace

void append(RowsList& list, const Rows& rows) {
  if (rows.bytes() == 0) return;
  if (list.empty() || !joined(list.back(), rows)) list.push_back(rows);
}

RowsList rows_of(std::size_t elements, MPI_Datatype type, const TypeInfo& info) {
  if (elements == 0 || info.size == 0) return {};
  if (info.contiguous) return {{.width = elements * info.size}};
  return repeated(rows_of_one(type, info), elements, info.extent, info.size);
}

}  // namespace tutti::run
