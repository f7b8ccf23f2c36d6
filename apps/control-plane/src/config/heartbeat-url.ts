import { z } from 'zod'

export const HeartbeatUrl = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
    error: 'must be a URL such as https://hc.example/ping/4f1c',
  })
