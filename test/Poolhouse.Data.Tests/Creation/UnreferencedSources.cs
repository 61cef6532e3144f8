using System.Runtime.CompilerServices;
using Poolhouse.Data.Tests.Fakes;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Testing;

namespace Poolhouse.Data.Tests.Creation;

/// <summary>
/// I29: a caller is answered although nothing but its wait refers to the source, and garbage is collected meanwhile.
/// </summary>
public sealed class UnreferencedSources
{
    private const int Callers = 20;

    private static readonly TimeSpan _step = TimeSpan.FromMilliseconds(20);

    [Fact]
    public async Task While_the_server_is_down_callers_get_an_answer_although_their_source_is_unreferenced()
    {
        var provider = new FakeDb();
        var time = new ManualTimeProvider();

        // Neither permanent nor a server that was never reached: a failure that the pool waits out.
        provider.Failures["connection.Open"] = new TimeoutException();
        var answers = Enumerable.Range(0, Callers).Select(_ => OpenAndForget(provider, time)).ToList();
        var all = Task.WhenAll(answers);

        // Time passes in small steps until long after the deadline, with a collection before each: what only the clock can
        // trigger must not be garbage in any.
        for (var i = 0; i < 50; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            time.Advance(_step);
        }

        Assert.All(await Patience.WithinAsync(all), failure => Assert.IsType<DbPoolException>(failure));
    }

    /// <returns>A task that the caller completes and that refers to nothing else.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Task<Exception?> OpenAndForget(FakeDb provider, TimeProvider time)
    {
        var answer = new TaskCompletionSource<Exception?>(TaskCreationOptions.RunContinuationsAsynchronously);
        _ = OpenAsync(provider, time, answer);
        return answer.Task;
    }

    private static async Task OpenAsync(FakeDb provider, TimeProvider time, TaskCompletionSource<Exception?> answer)
    {
        var source = PooledDataSource.Create(
            provider,
            new DbPoolOptions
            {
                Pool = new ResourcePoolOptions { MaxSize = 1, RentTimeout = TimeSpan.FromMilliseconds(300), TimeProvider = time },
            });
        try
        {
            await (await source.OpenConnectionAsync()).DisposeAsync();
            answer.SetResult(null);
        }
        catch (Exception failure)
        {
            answer.SetResult(failure);
        }
    }
}
