"""Every word of the kernel's result against the reference, in the interpreter; prints how many layers."""

import json

import torch

from gpu_gotchas.fixes.marlin_layout import repack
from gpu_gotchas.fixes.marlin_repack_triton import fp8_words, repack_experts, repack_experts_in_place

count = 0
for bits in (4, 8):
    for size_k, size_n, experts in ((16, 64, 1), (144, 192, 3)):
        generator = torch.Generator().manual_seed(size_k * size_n + bits)
        shape = (experts, size_k * bits // 32, size_n)
        packed = torch.randint(-(2**31), 2**31, shape, generator=generator, dtype=torch.int32)
        wanted = torch.stack([repack(one, size_k, size_n, bits) for one in packed])
        for source in (packed, packed.transpose(1, 2).contiguous().transpose(1, 2)):
            out = torch.full_like(wanted, 0x55555555)
            assert repack_experts(source, size_k, size_n, bits, out=out) is out
            assert torch.equal(out, wanted), (bits, size_k, size_n)
            held = source.clone(memory_format=torch.preserve_format)
            found = repack_experts_in_place(held, size_k, size_n, bits)
            assert torch.equal(found, wanted)
            assert found.untyped_storage().data_ptr() == held.untyped_storage().data_ptr()
            count += 1

weight = torch.randint(0, 256, (2, 128, 64), dtype=torch.uint8).view(torch.float8_e4m3fn)
words = fp8_words(weight)
by_input = weight.view(torch.uint8).transpose(1, 2).reshape(2, 16, 4, 128).long()
assert torch.equal(words.long() & 0xFFFFFFFF, sum(by_input[:, :, nth] << 8 * nth for nth in range(4)))
found = repack_experts(words, 64, 128, 8)
assert torch.equal(found, torch.stack([repack(one.contiguous(), 64, 128, 8) for one in words]))
print(json.dumps(count + 1))
