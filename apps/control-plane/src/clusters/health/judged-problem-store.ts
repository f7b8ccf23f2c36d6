import type { Problem } from '@roost/api-types/checks'
import type { Database } from '../../database/database.js'

export interface JudgedProblemStore {
  listClusters(): Promise<readonly { readonly id: number; readonly name: string }[]>
  /** Stores the problems of nodes where they changed. */
  save(problems: ReadonlyMap<number, readonly Problem[]>): Promise<void>
}

/** Lists of nodes carry them. */
const mostProblems = 100

export function createJudgedProblemStore({ prisma }: Pick<Database, 'prisma'>): JudgedProblemStore {
  return {
    listClusters: () => prisma.cluster.findMany({ select: { id: true, name: true }, orderBy: { id: 'asc' } }),
    async save(byNode) {
      const rows = [...byNode].map(([id, problems]) => ({
        id,
        problems: problems
          .slice(0, mostProblems)
          .map(({ code, severity, subject, message }) => ({ code, severity, subject, message })),
      }))
      if (rows.length === 0) return
      await prisma.$executeRaw`
        update nodes set judged_problems = judged.problems
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as judged(id int, problems jsonb)
        where nodes.id = judged.id and nodes.judged_problems <> judged.problems`
    },
  }
}
