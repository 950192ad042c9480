FROM vllm/vllm-openai:v0.16.0
CMD ["--model", "unsloth/Meta-Llama-3.1-8B-Instruct", "--max-model-len", "4096", "--kv-cache-dtype", "fp8"]
