using System.Diagnostics;
using System.Globalization;

namespace Poolhouse.Ldap.Tests.Servers;

/// <summary>Waits that end: a server that does not do what a test expects must not hang it.</summary>
internal static class Patience
{
    /// <summary>Far above anything that a test expects, on a machine that is busy.</summary>
    public static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    public static Task<T> WithinAsync<T>(Task<T> task) => task.WaitAsync(Limit, TestContext.Current.CancellationToken);

    public static Task WithinAsync(Task task) => task.WaitAsync(Limit, TestContext.Current.CancellationToken);

    /// <summary>Looks again and again, with a short pause, until a reading is as it should be.</summary>
    public static async Task UntilAsync<T>(Func<Task<T>> read, Func<T, bool> isReached, string what)
    {
        var started = Stopwatch.GetTimestamp();
        while (true)
        {
            var reading = await read();
            if (isReached(reading))
            {
                return;
            }

            if (Stopwatch.GetElapsedTime(started) > Limit)
            {
                var text = reading is IEnumerable<string> list
                    ? string.Join(", ", list)
                    : Convert.ToString(reading, CultureInfo.InvariantCulture);
                Assert.Fail(
                    string.Create(CultureInfo.InvariantCulture, $"Not within {Limit.TotalSeconds} s: {what}. Last seen: {text}"));
            }

            await PauseAsync();
        }
    }

    public static Task UntilAsync(Func<bool> isReached, string what) =>
        UntilAsync(() => Task.FromResult(isReached()), static reached => reached, what);

    public static Task PauseAsync(int milliseconds = 10) =>
        Task.Delay(TimeSpan.FromMilliseconds(milliseconds), TimeProvider.System, TestContext.Current.CancellationToken);
}
