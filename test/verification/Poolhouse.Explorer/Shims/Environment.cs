namespace Poolhouse.Explorer.Shims;

/// <summary>The same values on every machine, so that a schedule found on one replays on another.</summary>
internal static class Environment
{
    public static int ProcessorCount => 2;

    public static long TickCount64 => 0;

    public static bool HasShutdownStarted => false;
}
