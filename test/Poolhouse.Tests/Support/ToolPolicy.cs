using Poolhouse.Workers;

namespace Poolhouse.Tests;

/// <summary>Creates tools and records them; a test may replace any step.</summary>
internal sealed class ToolPolicy : WorkerPolicy<Tool>
{
    private readonly List<Tool> _created = [];

    /// <summary>Called before a tool is created.</summary>
    public Action? Creating { get; set; }

    /// <summary>Gets the token of each creation.</summary>
    public Action<CancellationToken>? TokenReceived { get; set; }

    public Func<Tool, bool> Breaks { get; set; } = static _ => false;

    public Func<Tool, Exception, bool> Survivors { get; set; } = static (_, _) => false;

    public Action<Tool>? Destroying { get; set; }

    public List<Tool> Created
    {
        get
        {
            lock (_created)
            {
                return [.. _created];
            }
        }
    }

    public int Destroyed => Created.Count(static tool => tool.Destructions > 0);

    public override Tool Create(CancellationToken cancellationToken)
    {
        TokenReceived?.Invoke(cancellationToken);
        Creating?.Invoke();
        lock (_created)
        {
            var tool = new Tool(_created.Count);
            _created.Add(tool);
            return tool;
        }
    }

    public override bool IsBroken(Tool state) => Breaks(state);

    public override bool Survives(Tool state, Exception failure) => Survivors(state, failure);

    public override void Destroy(Tool state, WorkerDestroyReason reason)
    {
        state.Destroy(reason);
        Destroying?.Invoke(state);
    }
}
