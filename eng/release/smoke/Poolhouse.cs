using Poolhouse;

await using var pool = ResourcePool.Create(
    create: _ => ValueTask.FromResult(new MemoryStream()),
    options: new ResourcePoolOptions { MaxSize = 1 });
await using (var lease = await pool.RentAsync())
{
    lease.Value.WriteByte(1);
}

using var texts = new TieredObjectPool<System.Text.StringBuilder>(() => new());
texts.Return(texts.Get());
using var stream = StreamPool.Shared.Rent();
stream.Write(new byte[100_000]);
Console.WriteLine(pool.GetStatistics().Returned == 1 && stream.Length == 100_000 ? "OK Poolhouse" : "not OK");
