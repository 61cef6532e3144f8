using Poolhouse.Samples.ScriptWorkers;

using var library = new Library();

await StateLessons.FirstAsync(library);
await StateLessons.RecycleAsync(library);
await StateLessons.ReloadAsync(library);
await QueueLessons.PostAsync(library);
await QueueLessons.LanesAsync(library);
await QueueLessons.KeysAsync(library);
await QueueLessons.RefuseAsync(library);
await RunLessons.HangAsync(library);
await RunLessons.AwaitAsync(library);
await RunLessons.BlockAsync(library);
await RunLessons.ShutDownAsync(library);
