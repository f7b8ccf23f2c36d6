-- AlterTable
ALTER TABLE "storage_logins" ADD COLUMN     "application_credential_id" TEXT,
ADD COLUMN     "application_credential_name" TEXT,
ADD COLUMN     "auth_version" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "ca" TEXT,
ADD COLUMN     "interface" TEXT,
ADD COLUMN     "project" TEXT,
ADD COLUMN     "project_domain" TEXT,
ADD COLUMN     "region" TEXT,
ADD COLUMN     "user_domain" TEXT,
ALTER COLUMN "user" DROP NOT NULL;
