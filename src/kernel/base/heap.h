/*
 * heap.h
 *		Binary heaps in the caller's array.
 *
 * SDC_HEAP(name, type, context, above) defines the functions of a heap of
 * items of a type.  above(of, a, b) says whether item a has to stand above
 * item b; it gets the context, which is whatever the caller passes, and must
 * be a strict weak order.  The item above all others is the first of the
 * array.  The array has the room that the caller gives it; count is how many
 * items there are.  Each takes O(log count) but where it says otherwise.
 *
 * Two heaps are made by hand: that of match.c, which notes where each of its
 * items is, and that of intruder_search.c, whose items lie in two arrays.
 */
#ifndef SDC_KERNEL_HEAP_H
#define SDC_KERNEL_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * name_down puts an item where it belongs at a hole of the heap or below it.
 * name_up puts it there or above.
 * name_push adds an item.
 * name_pop takes the first one off.
 * name_offer keeps at most so many items, of which the first is given up for
 * one that it stands above; false if the new one is not kept.
 * name_make turns an array into a heap.  O(count).
 * name_unroll turns the heap into an array in order, the first item last.
 * O(count log count).
 */
#define SDC_HEAP(name, type, context, above)                                  \
	SDC_HEAP_MAYBE static inline void name##_down(                            \
		context of, type *heap, size_t count, size_t hole, type item)         \
	{                                                                         \
		/* the left child is 2 hole + 1, which must not overflow */           \
		while (hole < count / 2)                                              \
		{                                                                     \
			size_t child = 2 * hole + 1;                                      \
                                                                              \
			if (child + 1 < count && above(of, heap[child + 1], heap[child])) \
				child++;                                                      \
			if (!above(of, heap[child], item))                                \
				break;                                                        \
			heap[hole] = heap[child];                                         \
			hole = child;                                                     \
		}                                                                     \
		heap[hole] = item;                                                    \
	}                                                                         \
	SDC_HEAP_MAYBE static inline void name##_up(context of, type *heap,       \
												size_t hole, type item)       \
	{                                                                         \
		while (hole > 0 && above(of, item, heap[(hole - 1) / 2]))             \
		{                                                                     \
			heap[hole] = heap[(hole - 1) / 2];                                \
			hole = (hole - 1) / 2;                                            \
		}                                                                     \
		heap[hole] = item;                                                    \
	}                                                                         \
	SDC_HEAP_MAYBE static inline void name##_push(context of, type *heap,     \
												  int32_t *count, type item)  \
	{                                                                         \
		name##_up(of, heap, (size_t) (*count)++, item);                       \
	}                                                                         \
	SDC_HEAP_MAYBE static inline type name##_pop(context of, type *heap,      \
												 int32_t *count)              \
	{                                                                         \
		type first = heap[0];                                                 \
                                                                              \
		if (--*count > 0)                                                     \
			name##_down(of, heap, (size_t) *count, 0, heap[*count]);          \
		return first;                                                         \
	}                                                                         \
	SDC_HEAP_MAYBE static inline bool name##_offer(                           \
		context of, type *heap, int32_t *count, int32_t most, type item)      \
	{                                                                         \
		if (*count < most)                                                    \
			name##_push(of, heap, count, item);                               \
		else if (above(of, heap[0], item))                                    \
			name##_down(of, heap, (size_t) *count, 0, item);                  \
		else                                                                  \
			return false;                                                     \
		return true;                                                          \
	}                                                                         \
	SDC_HEAP_MAYBE static inline void name##_unroll(context of, type *heap,   \
													int32_t count)            \
	{                                                                         \
		while (count > 1)                                                     \
		{                                                                     \
			type first = name##_pop(of, heap, &count);                        \
                                                                              \
			heap[count] = first;                                              \
		}                                                                     \
	}                                                                         \
	SDC_HEAP_MAYBE static inline void name##_make(context of, type *heap,     \
												  int32_t count)              \
	{                                                                         \
		int32_t hole;                                                         \
                                                                              \
		for (hole = count / 2 - 1; hole >= 0; hole--)                         \
			name##_down(of, heap, (size_t) count, (size_t) hole, heap[hole]); \
	}

/* Not every heap needs every function. */
#define SDC_HEAP_MAYBE __attribute__((unused))

#endif
