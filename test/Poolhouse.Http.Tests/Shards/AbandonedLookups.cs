using System.Net;
using System.Runtime.CompilerServices;
using Poolhouse.Http.Tests.Support;

namespace Poolhouse.Http.Tests.Shards;

[Collection(nameof(Alone))]
public sealed class AbandonedLookups
{
    [Fact]
    public async Task A_lookup_that_fails_after_it_was_abandoned_is_observed()
    {
        const string Late = "the late look-up";
        var unobserved = 0;
        void Count(object? sender, UnobservedTaskExceptionEventArgs failure) =>
            unobserved += failure.Exception.ToString().Contains(Late, StringComparison.Ordinal) ? 1 : 0;
        TaskScheduler.UnobservedTaskException += Count;
        try
        {
            await AbandonAsync(new IOException(Late));
            for (var i = 0; i < 3; i++)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }
        }
        finally
        {
            TaskScheduler.UnobservedTaskException -= Count;
        }

        Assert.Equal(0, unobserved);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task AbandonAsync(Exception failure)
    {
        var answer = new TaskCompletionSource<IReadOnlyCollection<IPAddress>>();
        using var rig = new ShardRig(1, options =>
        {
            options.WatchedHosts = ["server"];
            options.Resolve = (_, _) => new ValueTask<IReadOnlyCollection<IPAddress>>(answer.Task);
        });
        rig.Clock.Advance(TimeSpan.FromSeconds(30));
        await Patience.UntilAsync(() => rig.Now.ResolveFailures == 1, "the look-up to be given up");
        answer.SetException(failure);
    }
}
