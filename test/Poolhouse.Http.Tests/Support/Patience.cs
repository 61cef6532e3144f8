using System.Diagnostics;

namespace Poolhouse.Http.Tests.Support;

/// <summary>Waits that end, for what happens in the background or over the wire.</summary>
internal static class Patience
{
    /// <summary>Far above anything that a test expects, on a machine that is busy.</summary>
    public static readonly TimeSpan Limit = TimeSpan.FromSeconds(40);

    public static Task<T> WithinAsync<T>(Task<T> task) => task.WaitAsync(Limit, TestContext.Current.CancellationToken);

    public static Task WithinAsync(Task task) => task.WaitAsync(Limit, TestContext.Current.CancellationToken);

    /// <summary>Looks again and again, with a short pause, until it is so.</summary>
    public static async Task UntilAsync(Func<bool> isSo, string what)
    {
        var started = Stopwatch.GetTimestamp();
        while (!isSo())
        {
            Assert.True(Stopwatch.GetElapsedTime(started) < Limit, $"Not within {Limit.TotalSeconds} s: {what}");
            await Task.Delay(TimeSpan.FromMilliseconds(2), TimeProvider.System, TestContext.Current.CancellationToken);
        }
    }
}
