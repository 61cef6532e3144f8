using Poolhouse.Samples.OutgoingHttp;

await using var server = await Server.StartAsync();

await BulkheadLessons.LimitAsync(server);
await BulkheadLessons.StreamAsync(server);
await BulkheadLessons.RefuseAsync(server);
await ShardLessons.SpreadAsync(server);
await ShardLessons.FollowAsync(server);
await ShardLessons.WarmUpAsync(server);
