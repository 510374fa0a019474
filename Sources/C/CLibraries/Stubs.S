// A function for each one of Functions.h, with its name: it jumps to the function of the library, whose address it finds at the first
// call. The arguments stay where they are, so that one stub serves every signature, and variadic functions. The names are hidden: the
// libraries themselves call each other directly.
//
// On another architecture there are no stubs, and the program is linked with the libraries as usual.

#if defined(__x86_64__)

    .macro stub name
    .globl \name
    .hidden \name
    .type \name, @function
    .p2align 4
\name:
    .cfi_startproc
    endbr64
    movq okaeri_library_functions + 8 * position(%rip), %r11
    testq %r11, %r11
    je 1f
    jmp *%r11
1:  movl $position, %r11d
    jmp find
    .cfi_endproc
    .size \name, . - \name
    .set position, position + 1
    .endm

    .text
    .type find, @function
    .p2align 4
// %r11: the position. It keeps all registers in which arguments are; %al has the number of vector registers of a variadic call.
find:
    .cfi_startproc
    pushq %rax
    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %r8
    pushq %r9
    pushq %r10
    subq $136, %rsp
    .cfi_def_cfa_offset 208
    movaps %xmm0, (%rsp)
    movaps %xmm1, 16(%rsp)
    movaps %xmm2, 32(%rsp)
    movaps %xmm3, 48(%rsp)
    movaps %xmm4, 64(%rsp)
    movaps %xmm5, 80(%rsp)
    movaps %xmm6, 96(%rsp)
    movaps %xmm7, 112(%rsp)
    movl %r11d, %edi
    call okaeri_libraries_function
    movq %rax, %r11
    movaps (%rsp), %xmm0
    movaps 16(%rsp), %xmm1
    movaps 32(%rsp), %xmm2
    movaps 48(%rsp), %xmm3
    movaps 64(%rsp), %xmm4
    movaps 80(%rsp), %xmm5
    movaps 96(%rsp), %xmm6
    movaps 112(%rsp), %xmm7
    addq $136, %rsp
    popq %r10
    popq %r9
    popq %r8
    popq %rcx
    popq %rdx
    popq %rsi
    popq %rdi
    popq %rax
    .cfi_def_cfa_offset 8
    jmp *%r11
    .cfi_endproc
    .size find, . - find

#elif defined(__aarch64__)

    .macro stub name
    .globl \name
    .hidden \name
    .type \name, %function
    .p2align 4
\name:
    .cfi_startproc
    hint #34
    adrp x16, okaeri_library_functions + 8 * position
    add x16, x16, :lo12:okaeri_library_functions + 8 * position
    ldar x16, [x16]
    cbz x16, 1f
    br x16
1:  mov w17, #position
    b find
    .cfi_endproc
    .size \name, . - \name
    .set position, position + 1
    .endm

    .text
    .type find, %function
    .p2align 4
// w17: the position. It keeps all registers in which arguments are; x8 has the address of a result in memory.
find:
    .cfi_startproc
    stp x29, x30, [sp, #-16]!
    .cfi_def_cfa_offset 16
    .cfi_offset w30, -8
    .cfi_offset w29, -16
    mov x29, sp
    .cfi_def_cfa w29, 16
    sub sp, sp, #208
    stp x0, x1, [sp]
    stp x2, x3, [sp, #16]
    stp x4, x5, [sp, #32]
    stp x6, x7, [sp, #48]
    str x8, [sp, #64]
    stp q0, q1, [sp, #80]
    stp q2, q3, [sp, #112]
    stp q4, q5, [sp, #144]
    stp q6, q7, [sp, #176]
    mov w0, w17
    bl okaeri_libraries_function
    mov x16, x0
    ldp x0, x1, [sp]
    ldp x2, x3, [sp, #16]
    ldp x4, x5, [sp, #32]
    ldp x6, x7, [sp, #48]
    ldr x8, [sp, #64]
    ldp q0, q1, [sp, #80]
    ldp q2, q3, [sp, #112]
    ldp q4, q5, [sp, #144]
    ldp q6, q7, [sp, #176]
    add sp, sp, #208
    .cfi_def_cfa wsp, 16
    ldp x29, x30, [sp], #16
    .cfi_def_cfa_offset 0
    .cfi_restore w30
    .cfi_restore w29
    br x16
    .cfi_endproc
    .size find, . - find

#else

    .macro stub name
    .endm

#endif

    .set position, 0
#define FUNCTION(library, name) stub name;
#include "Functions.h"

    .section .note.GNU-stack, "", %progbits
