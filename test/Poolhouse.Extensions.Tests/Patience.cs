using System.Diagnostics;

namespace Poolhouse.Extensions.Tests;

/// <summary>A wait with a limit, for what happens in the background.</summary>
internal static class Patience
{
    /// <summary>Far above every expected time, also on a busy machine.</summary>
    private static readonly TimeSpan _limit = TimeSpan.FromSeconds(40);

    public static async Task UntilAsync(Func<bool> condition, string what)
    {
        var started = Stopwatch.GetTimestamp();
        while (!condition())
        {
            Assert.True(Stopwatch.GetElapsedTime(started) < _limit, $"Not within {_limit.TotalSeconds} s: {what}");
            await Task.Yield();
        }
    }
}
