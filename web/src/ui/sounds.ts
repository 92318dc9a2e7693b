/** Sounds of moves: short tones that the browser generates, without files. */
type Sound = "move" | "capture" | "check" | "end";

interface Tone {
  readonly frequency: number;
  /** Seconds after the sound begins. */
  readonly at: number;
  readonly seconds: number;
}

const SOUNDS: Readonly<Record<Sound, readonly Tone[]>> = {
  move: [{ frequency: 320, at: 0, seconds: 0.06 }],
  capture: [{ frequency: 240, at: 0, seconds: 0.06 }, { frequency: 180, at: 0.05, seconds: 0.08 }],
  check: [{ frequency: 520, at: 0, seconds: 0.07 }, { frequency: 660, at: 0.08, seconds: 0.1 }],
  end: [
    { frequency: 440, at: 0, seconds: 0.12 }, { frequency: 330, at: 0.13, seconds: 0.12 },
    { frequency: 220, at: 0.26, seconds: 0.25 },
  ],
};

const VOLUME = 0.12;
const ATTACK_SECONDS = 0.005;

let context: AudioContext | undefined;

/** Plays a sound. Browsers refuse until the user has done something on the page. */
export function playSound(sound: Sound): void {
  context ??= new AudioContext();
  if (context.state === "suspended") void context.resume();
  for (const { frequency, at, seconds } of SOUNDS[sound]) {
    const start = context.currentTime + at;
    const oscillator = new OscillatorNode(context, { type: "triangle", frequency });
    const gain = new GainNode(context, { gain: 0 });
    gain.gain.setValueAtTime(0, start);
    gain.gain.linearRampToValueAtTime(VOLUME, start + ATTACK_SECONDS);
    gain.gain.exponentialRampToValueAtTime(0.001, start + seconds);
    oscillator.connect(gain).connect(context.destination);
    oscillator.start(start);
    oscillator.stop(start + seconds);
  }
}

/** The sound of a move by its SAN. */
export function soundOf(san: string, isEnd: boolean): Sound {
  if (isEnd) return "end";
  if (/[+#]/.test(san)) return "check";
  return san.includes("x") ? "capture" : "move";
}
