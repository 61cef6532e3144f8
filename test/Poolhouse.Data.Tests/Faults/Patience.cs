using System.Diagnostics;
using System.Globalization;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>Waits with a limit, so that a test does not hang if a server does not behave as expected.</summary>
internal static class Patience
{
    /// <summary>Far above every expected time, also on a busy machine.</summary>
    public static readonly TimeSpan Limit = TimeSpan.FromSeconds(40);

    /// <summary>What load on the machine may add to a measured time.</summary>
    public static readonly TimeSpan Slack = TimeSpan.FromSeconds(15);

    public static Task<T> WithinAsync<T>(Task<T> task) => task.WaitAsync(Limit, TestContext.Current.CancellationToken);

    public static Task WithinAsync(Task task) => task.WaitAsync(Limit, TestContext.Current.CancellationToken);

    /// <summary>Reads repeatedly, with a short pause, until a reading is as expected.</summary>
    /// <param name="read">The reading.</param>
    /// <param name="isReached">Whether it is as expected.</param>
    /// <param name="what">What is awaited.</param>
    /// <param name="limit">How long; <see cref="Limit"/> by default.</param>
    public static async Task UntilAsync<T>(
        Func<ValueTask<T>> read, Func<T, bool> isReached, string what, TimeSpan? limit = null)
    {
        var longest = limit ?? Limit;
        var started = Stopwatch.GetTimestamp();
        var pause = TimeSpan.FromMilliseconds(10);
        while (true)
        {
            var reading = await read();
            if (isReached(reading))
            {
                return;
            }

            if (Stopwatch.GetElapsedTime(started) > longest)
            {
                Assert.Fail(
                    string.Create(
                        CultureInfo.InvariantCulture, $"Not within {longest.TotalSeconds} s: {what}. Last seen: {Text(reading)}"));
            }

            // Longer and longer, because each reading may need a connection of its own, and those compete with what is awaited.
#pragma warning disable RS0030 // A pause between two readings of a server.
            await Task.Delay(pause, TestContext.Current.CancellationToken);
#pragma warning restore RS0030
            pause = TimeSpan.FromMilliseconds(Math.Min(1.5 * pause.TotalMilliseconds, 100));
        }
    }

    private static string Text<T>(T reading) =>
        reading is IEnumerable<string> list
            ? string.Join(Environment.NewLine, list)
            : Convert.ToString(reading, CultureInfo.InvariantCulture) ?? "";
}
