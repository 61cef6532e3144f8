using Poolhouse.Workers;

await using var pool = WorkerPool.Create(static () => new List<int>(), new WorkerPoolOptions { MaxWorkers = 1 });
await pool.RunAsync(static numbers => numbers.Add(1));
var count = await pool.RunAsync(static numbers => numbers.Count);
Console.WriteLine(count == 1 && pool.GetStatistics().Created == 1 ? "OK Poolhouse.Workers" : "not OK");
