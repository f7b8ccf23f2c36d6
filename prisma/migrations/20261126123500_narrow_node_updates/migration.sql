-- `last_seen` is written four times a minute. The inventory goes out of the row, which else is copied with each of these
-- updates, and pages keep space for the new row, so that no index is written.
ALTER TABLE "nodes" SET (toast_tuple_target = 256, fillfactor = 70);
