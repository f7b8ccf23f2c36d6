-- CreateTable
CREATE TABLE "new_usage_accounts" (
    "node_id" INTEGER NOT NULL,
    "day" INTEGER NOT NULL,
    "accounts" INTEGER NOT NULL,

    CONSTRAINT "new_usage_accounts_pkey" PRIMARY KEY ("node_id")
);

-- AddForeignKey
ALTER TABLE "new_usage_accounts" ADD CONSTRAINT "new_usage_accounts_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;
