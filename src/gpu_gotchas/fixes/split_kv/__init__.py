"""What attention kernels that split a paged KV cache share.

- `forms`: how a cache holds its numbers, and what a target can do with them; no torch.
- `grouped_heads`: which heads the kernels take; no torch.
- `splits`: into how many parts a context is cut; no torch.
- `widening`: E4M3 codes to float16 inside a kernel. `merge`: the parts into one result.
- `scratch`: a plan beside its memory. `results`: outputs that the caller may bring.
"""
