namespace Poolhouse.Tests;

/// <summary>Checks that callers are refused because of an outage.</summary>
internal static class Refused
{
    /// <summary>The cause of the refusal.</summary>
    public static async Task<TCause> WithAsync<TCause>(Func<Task> rent)
        where TCause : Exception =>
        Assert.IsType<TCause>((await Assert.ThrowsAsync<PoolUnavailableException>(rent)).InnerException);
}
