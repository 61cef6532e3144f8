using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Shims;

/// <summary>The state of a lock: its holder.</summary>
// Two points to switch: before it is taken, and after it is released, because the plain code that follows may race as well.
internal sealed class Gate
{
    private Actor? _holder;
    private bool _isHeld;

    /// <summary>The number of pulses for the waiters of this lock.</summary>
    public int Pulses { get; set; }

    public void Enter()
    {
        if (!TryEnter())
        {
            Actor.Current!.EndByInterrupt();
        }
    }

    /// <returns>False if the actor was interrupted while another one held the lock.</returns>
    public bool TryEnter()
    {
        if (Actor.Current is { } actor)
        {
            if (_isHeld && _holder == actor)
            {
                throw new InvalidOperationException($"{actor} enters a gate twice, but gates are not reentrant.");
            }

            actor.WaitUntil(() => !_isHeld || actor.IsInterrupted, "lock");
            if (_isHeld)
            {
                return false;
            }

            _holder = actor;
        }
        else if (_isHeld)
        {
            // Called by a check between two steps: no actor may be inside.
            throw new InvalidOperationException($"{_holder} is blocked while it holds a lock.");
        }

        _isHeld = true;
        return true;
    }

    public void Exit()
    {
        _isHeld = false;
        _holder = null;
        Actor.Step("unlock", "");
    }
}
