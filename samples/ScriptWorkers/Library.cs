namespace Poolhouse.Samples.ScriptWorkers;

/// <summary>
/// What every interpreter loads: a rate, and a door that the script <c>wait</c> stands before until it is opened.
/// </summary>
internal sealed class Library : IDisposable
{
    private volatile int _rate = 2;

    public int Rate
    {
        get => _rate;
        set => _rate = value;
    }

    public ManualResetEventSlim Door { get; } = new();

    public void Dispose() => Door.Dispose();
}
