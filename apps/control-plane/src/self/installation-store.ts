import type { Database } from '../database/database.js'

/** Returns since when, in Unix milliseconds, this installation is known; it has one row from its first start on. */
export async function installedAt({ prisma }: Pick<Database, 'prisma'>): Promise<number> {
  const { installedAt } = await prisma.installation.findFirstOrThrow({ select: { installedAt: true } })
  return installedAt.getTime()
}
