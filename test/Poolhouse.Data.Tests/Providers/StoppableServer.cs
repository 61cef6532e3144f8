namespace Poolhouse.Data.Tests.Providers;

/// <summary>A server of a test's own, with an empty database that outlives its stops.</summary>
internal sealed record StoppableServer(
    Subject Subject, IAsyncDisposable Server, Func<Task> StopAsync, Func<Task> StartAgainAsync) : IAsyncDisposable
{
    public ValueTask DisposeAsync() => Server.DisposeAsync();
}
