/** The judgement of a state or a number. Green, amber and red mean these and nothing else. */
export type Tone = 'ok' | 'warn' | 'bad' | 'mute'
