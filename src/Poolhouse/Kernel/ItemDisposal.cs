namespace Poolhouse.Kernel;

/// <summary>How items are destroyed unless a policy says otherwise.</summary>
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
