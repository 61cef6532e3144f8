namespace Poolhouse.Data.Opening;

/// <summary>Turns a failed check into the exception that reports a lost idle connection to the pool. Only the pool sees it.</summary>
internal static class KeepAlive
{
    public static void ThrowIfLost(bool works)
    {
        if (!works)
        {
            throw new InvalidOperationException("The connection is broken.");
        }
    }
}
