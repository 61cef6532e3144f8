namespace Poolhouse.Explorer.Scheduling;

/// <summary>A real thread that is used again and again, and the signal that it may go on.</summary>
// A thread that is left in the middle of a run that failed waits for ever; it is a background thread, and there is one failure at most
// in an exploration.
internal sealed class Baton
{
    private readonly SemaphoreSlim _signal = new(0);
    private Action? _body;
    private bool _dismissed;

    public Baton() => new Thread(Run) { IsBackground = true, Name = "Actor" }.Start();

    /// <summary>Gives the thread, which has nothing to do, something to do when the baton comes.</summary>
    public void Begin(Action body) => _body = body;

    public void Pass() => _signal.Release();

    public void Await() => _signal.Wait();

    /// <summary>Ends the thread, if it has nothing to do.</summary>
    public void Dismiss()
    {
        _dismissed = true;
        Pass();
    }

    private void Run()
    {
        Await();
        while (!_dismissed)
        {
            _body!();
            Await();
        }
    }
}
