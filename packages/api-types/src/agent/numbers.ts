import * as z from 'zod/mini'

/** THE LIST: the bounds of every number in the protocol. What is beyond them is refused before any feature sees it. */

/** Of files, disks and filesystems: exact as a float64, and below PostgreSQL's int8. */
export const Bytes = z.int().check(z.minimum(0))

/** Things that are counted, and the numbers of messages: up to 2^53 - 1. */
export const Count = z.int().check(z.minimum(0))

/** Cores, ports, indexes of policies, ids of catalogues in a frame: what a database or a frame keeps in 32 bits. */
export const SmallCount = z.int().check(z.minimum(0), z.maximum(2 ** 31 - 1))

/** Above the desired one is what a restored backup looks like; above this one is no number that any node counts up to. */
export const maxGeneration = 2 ** 30
export const Generation = z.int().check(z.minimum(0), z.maximum(maxGeneration))

/** How far the time of a reading may be from the control plane's clock, after the skew of the hello is taken off. */
export const readingToleranceSeconds = 86_400

/** How far ahead of the control plane's clock a half-hour of usage may begin; its beginning is the retention's. */
export const halfHourAheadSeconds = 3_600
