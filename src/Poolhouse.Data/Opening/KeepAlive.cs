namespace Poolhouse.Data.Opening;

/// <summary>Turns a verdict into the exception by which a policy says that an idle connection is lost. Only the pool sees it.</summary>
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
