namespace Poolhouse.Resources.Engine.PolicyCalls;

/// <summary>The default destruction of items, used unless a policy overrides it.</summary>
internal static class ItemDisposal
{
    public static ValueTask DisposeAsync<T>(T item)
    {
        switch (item)
        {
            case IAsyncDisposable disposable:
                return disposable.DisposeAsync();
            case IDisposable disposable:
                disposable.Dispose();
                return default;
            default:
                return default;
        }
    }
}
