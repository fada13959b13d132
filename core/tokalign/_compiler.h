/* What compilers spell differently: the one place that names them.

   GCC and Clang have all of it. Microsoft's compiler has its own names for most. Any other, and
   every one under -DTOKALIGN_PLAIN_C, gets standard C, which gives the same numbers. */

#ifndef TOKALIGN_COMPILER_H
#define TOKALIGN_COMPILER_H

#include <stdint.h>

#if defined(__GNUC__) && !defined(TOKALIGN_PLAIN_C)
#define TOKALIGN_GNU 1
#elif defined(_MSC_VER) && !defined(TOKALIGN_PLAIN_C)
#define TOKALIGN_MSVC 1
#include <intrin.h>
#endif

/* Instructions of x86-64 that a function may use, whatever the others are compiled for. */
#if defined(TOKALIGN_GNU) && defined(__x86_64__)
#define TOKALIGN_X86 1
#define TOKALIGN_TARGET(instructions) __attribute__((target(instructions)))
#define TOKALIGN_HAS(instructions) __builtin_cpu_supports(instructions)
#if defined(__linux__) && !defined(__clang__) && __GNUC__ >= 11
#define TOKALIGN_AMX 1 /* others name it in other ways, or not at all */
#define TOKALIGN_MEMORY_CHANGED() __asm__ volatile("" ::: "memory")
#endif
#endif

/* Dot products of bytes, which most 64-bit ARM processors have since 2018. */
#if defined(TOKALIGN_GNU) && defined(__aarch64__)
#define TOKALIGN_ARM 1
#if defined(__clang__)
#define TOKALIGN_DOT_PRODUCTS __attribute__((target("dotprod")))
#else
#define TOKALIGN_DOT_PRODUCTS __attribute__((target("arch=armv8.2-a+dotprod")))
#endif
#if defined(__ARM_FEATURE_DOTPROD)
#define TOKALIGN_HAS_DOT_PRODUCTS 1
#elif defined(__linux__)
#include <sys/auxv.h>
#define TOKALIGN_HAS_DOT_PRODUCTS (getauxval(AT_HWCAP) >> 20 & 1) /* HWCAP_ASIMDDP */
#else
#define TOKALIGN_HAS_DOT_PRODUCTS 0
#endif
#endif

/* Versions of a function for several processors, chosen when the module is loaded; that needs glibc.
   All versions give the same numbers. */
#if defined(TOKALIGN_X86) && defined(__GLIBC__) && !defined(__clang__)
#define TOKALIGN_CLONES __attribute__((unused, target_clones("avx2", "default")))
#if __GNUC__ >= 12 /* older ones do not know the name */
#define TOKALIGN_WIDE_CLONES \
    __attribute__((unused, target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define TOKALIGN_WIDE_CLONES TOKALIGN_CLONES
#endif
#elif defined(TOKALIGN_GNU)
#define TOKALIGN_CLONES __attribute__((unused))
#define TOKALIGN_WIDE_CLONES __attribute__((unused))
#else
#define TOKALIGN_CLONES
#define TOKALIGN_WIDE_CLONES
#endif

#if defined(TOKALIGN_GNU)
#define TOKALIGN_INLINE static inline __attribute__((always_inline))
#define TOKALIGN_UNROLL _Pragma("GCC unroll 4")
#define TOKALIGN_PREFETCH(address) __builtin_prefetch(address)
#define TOKALIGN_OWN_LINE __attribute__((aligned(64)))
#elif defined(TOKALIGN_MSVC)
#define TOKALIGN_INLINE static __forceinline
#define TOKALIGN_UNROLL
#define TOKALIGN_PREFETCH(address) ((void)(address))
#define TOKALIGN_OWN_LINE __declspec(align(64))
#else
#define TOKALIGN_INLINE static inline
#define TOKALIGN_UNROLL
#define TOKALIGN_PREFETCH(address) ((void)(address))
#define TOKALIGN_OWN_LINE
#endif

/* Number of bits that are set. */
TOKALIGN_INLINE int tokalign_ones(uint64_t bits)
{
#if defined(TOKALIGN_GNU) && (!defined(TOKALIGN_X86) || defined(__POPCNT__))
    return __builtin_popcountll(bits);
#else /* A call in GCC, and in Microsoft's a fault, on processors that lack the instruction. */
    bits -= (bits >> 1) & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + ((bits >> 2) & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int)((bits * 0x0101010101010101u) >> 56);
#endif
}

/* Place of the lowest bit that is set; `bits` must not be 0. */
TOKALIGN_INLINE int tokalign_lowest(uint64_t bits)
{
#if defined(TOKALIGN_GNU)
    return __builtin_ctzll(bits);
#else
    return tokalign_ones((bits & (0 - bits)) - 1);
#endif
}

/* Both halves of a product, folded; who does not know the secret cannot make strings collide. */
TOKALIGN_INLINE uint64_t tokalign_mix(uint64_t a, uint64_t b)
{
#if defined(TOKALIGN_GNU) && defined(__SIZEOF_INT128__)
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
#elif defined(TOKALIGN_MSVC) && defined(_M_X64)
    uint64_t high, low = _umul128(a, b, &high);
    return high ^ low;
#else
    uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t middle = a_high * b_low + ((a_low * b_low) >> 32);
    uint64_t other = a_low * b_high + (uint32_t)middle;
    return (a_high * b_high + (middle >> 32) + (other >> 32)) ^ (a * b);
#endif
}

#endif
