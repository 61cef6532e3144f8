namespace Poolhouse.Testing.Tests.Faults;

/// <summary>How long a test waits before it fails.</summary>
internal static class Patience
{
    public static TimeSpan Time { get; } = TimeSpan.FromMinutes(1);

    public static async Task UntilAsync(Func<bool> condition)
    {
        using var late = new CancellationTokenSource(Time);
        while (!condition())
        {
            late.Token.ThrowIfCancellationRequested();
            await Task.Yield();
        }
    }
}
