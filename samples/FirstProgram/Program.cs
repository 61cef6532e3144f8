// snippet: first-program
using System.Text;
using Poolhouse;

// Objects: a drop-in ObjectPool<T> that does not slow down when threads share it.
using var builders = new TieredObjectPool<StringBuilder>(
    create: () => new StringBuilder(),
    reset: text => text.Clear().Capacity <= 4096);

var text = builders.Get();
text.Append("Hello, pool.");
Console.WriteLine(text);
builders.Return(text);

// Connections: at most two are open, and callers wait in order of arrival, with a deadline.
await using var sessions = ResourcePool.Create(
    create: token => Session.OpenAsync(token),
    options: new ResourcePoolOptions { MaxSize = 2, Name = "sessions" });

await Parallel.ForAsync(0, 10, async (caller, token) =>
{
    await using var lease = await sessions.RentAsync(token);
    await lease.Value.SendAsync($"caller {caller}", token);
});

Console.WriteLine($"{sessions.GetStatistics().Rented} callers, {sessions.GetStatistics().Created} sessions.");

// Stands for anything that is slow to open and must not be shared while in use.
internal sealed class Session : IAsyncDisposable
{
    public static async ValueTask<Session> OpenAsync(CancellationToken token)
    {
        await Task.Delay(100, token);
        return new Session();
    }

    public async Task SendAsync(string message, CancellationToken token)
    {
        await Task.Delay(10, token);
        Console.WriteLine($"Sent for {message}.");
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
// end snippet
