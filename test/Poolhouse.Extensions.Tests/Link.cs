namespace Poolhouse.Extensions.Tests;

/// <summary>An item of the pools in these tests.</summary>
internal sealed class Link
{
    public static ValueTask<Link> OpenAsync(CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<Link>(cancellationToken)
            : new ValueTask<Link>(new Link());
}
