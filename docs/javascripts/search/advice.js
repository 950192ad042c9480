// What a text that is not known lacks, and what to collect for it (search/advice.py).
import { Pattern } from "./patterns.js";

// Whether no line of a text reads like a failure, or all that do are echoes of one.
export function lackTeller({ advice: R }, { unwrap, isTrouble, plate }) {
  const raised = new Pattern(R._RAISED);

  function fails(message) {
    if (message.calm) return Boolean(raised.match(message.text));
    return message.severe || (!message.warns && isTrouble(message.text));
  }

  return (lines, asked) => {
    const told = [];
    let [framed, code] = [false, false];
    for (const message of lines.map(unwrap)) {
      const frame = R._FRAMES.some((sign) => message.text.startsWith(sign));
      const quiet = frame || !/[^^~ ]/.test(message.text) || (code && !raised.match(message.text));
      if (!quiet && fails(message)) told.push(message);
      framed ||= frame;
      code = frame;
    }
    if (!told.length) return framed || asked.excerpt ? null : "failure";
    if (told.some(({ text }) => R._NO_ECHO.some((sign) => text.includes(sign)))) return null;
    const left = told.map(({ severe, text }) => ({ severe, text: plate.without(text) }));
    if (left.some(({ severe, text }) => text && (severe || isTrouble(text)))) return null;
    return left.every(({ text }) => text) ? null : "cause";
  };
}

export function whatToCollect({ _ABOVE, _LATE, _NO_LINE, _NO_ROOM }, lines, { fails }, machine, lacks) {
  const wanted = [];
  if (lacks === "cause") wanted.push(_ABOVE);
  else if (lacks === "failure" || !fails) wanted.push(_NO_LINE);
  if (lines.some((line) => _LATE.some((sign) => line.includes(sign)))) {
    wanted.push(
      "the same run with CUDA_LAUNCH_BLOCKING=1 (AMD_SERIALIZE_KERNEL=3 on ROCm): the error is reported later than " +
        "it happens, and the traceback is of another call",
    );
  }
  if (lines.some((line) => _NO_ROOM.some((sign) => line.includes(sign)))) {
    wanted.push(
      "when the memory ran out (weights, KV cache, warm-up, graph capture, a request), the model's size, and what " +
        "else was on the card: nvidia-smi, or amd-smi process",
    );
  }
  if (!machine?.cards) wanted.push("the card and its driver: nvidia-smi -q, or amd-smi static");
  if (!machine || !Object.keys(machine.software).length) {
    wanted.push("versions: python -m torch.utils.collect_env, and pip list");
  }
  return [...wanted, "the whole command line, and the variables that were set for it"];
}
