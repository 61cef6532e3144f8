namespace Poolhouse.Workers.Threads;

/// <summary>The settings of a thread that code running on it can change, and that can be restored.</summary>
internal readonly struct ThreadSettings
{
    private readonly Thread _thread;
    private readonly string? _name;
    private readonly ThreadPriority _priority;
    private readonly bool _isBackground;

    private ThreadSettings(Thread thread)
    {
        _thread = thread;
        _name = thread.Name;
        _priority = thread.Priority;
        _isBackground = thread.IsBackground;
    }

    public static ThreadSettings OfCurrentThread() => new(Thread.CurrentThread);

    /// <summary>Restores the settings, on the same thread. Takes some nanoseconds if nothing was changed.</summary>
    public void Restore()
    {
        if (!ReferenceEquals(_thread.Name, _name))
        {
            _thread.Name = _name;
        }

        if (_thread.Priority != _priority)
        {
            _thread.Priority = _priority;
        }

        if (_thread.IsBackground != _isBackground)
        {
            _thread.IsBackground = _isBackground;
        }
    }
}
