namespace Poolhouse.Streams.Blocks;

/// <summary>Marks the body of a stream while a thread changes its blocks, and counts the changes.</summary>
// A stream is not thread safe, but two threads that use one by mistake must not affect other streams (I1). Without the
// mark, two threads that add or remove blocks at the same time could return a block twice, and a disposal could return the blocks
// to which another thread is adding one. Only slow paths take the mark: reads, writes and moves inside a block do not need it.
// Invariants
//   Changing is set by one thread at a time, and only this thread changes the blocks and the cursor of the body
//   the upper bits change with each change and with each end of a use, so that a word that was read earlier cannot begin a change
//   later
//   Changing and Ended together are final: the stream ended during a change. The thread that was changing drops the blocks, and
//   the body is never used again
// Order of writes (a change against the end of the stream)
//   change:  set Changing (interlocked), then check whether the stream still has the body; if not, cancel
//   end:     take the body from the stream (interlocked), then read the word
//   So at least one of them sees the other. The end needs no interlocked operation of its own: a change that begins after the end
//   has read the word is cancelled without touching the blocks, whatever the word is then.
internal struct ChangeMark
{
    private const long Changing = 1;
    private const long Ended = 2;
    private const long Step = 4;

    private long _word;

    /// <summary>The current state, for <see cref="TryBegin"/>, <see cref="IsChanging"/> and <see cref="HasChanged"/>.</summary>
    public long Word => Volatile.Read(ref _word);

    /// <summary>Whether a change was in progress when the word was read.</summary>
    public static bool IsChanging(long word) => (word & Changing) != 0;

    /// <summary>Whether a change has begun since the word was read. What was read in between is then not consistent.</summary>
    public bool HasChanged(long word)
    {
        // Prevents the preceding reads of the caller from being delayed past the read of the word.
        Volatile.ReadBarrier();
        return Volatile.Read(ref _word) != word;
    }

    /// <summary>Begins a change, unless another thread is changing the body or the body has another user since.</summary>
    public bool TryBegin(long word) =>
        !IsChanging(word) && Interlocked.CompareExchange(ref _word, word | Changing, word) == word;

    /// <summary>Finishes a change.</summary>
    /// <returns>False if the stream ended meanwhile: then the caller drops the blocks.</returns>
    public bool TryFinish(long word) =>
        Interlocked.CompareExchange(ref _word, word + Step, word | Changing) == (word | Changing);

    /// <summary>Cancels a change that began after the stream had ended, and has changed nothing.</summary>
    /// <returns>False if <see cref="TryEnd"/> found this change in progress: then the caller drops the blocks.</returns>
    public bool TryCancel(long word) =>
        Interlocked.CompareExchange(ref _word, word, word | Changing) != (word | Changing | Ended);

    /// <summary>Ends the use of the body. Called only by the thread that took the body from its stream.</summary>
    /// <returns>False if a change is in progress: then the body and its blocks must not be reused.</returns>
    public bool TryEnd()
    {
        var word = Volatile.Read(ref _word);
        if (!IsChanging(word))
        {
            Volatile.Write(ref _word, word + Step);
            return true;
        }

        return TryEndChange(word);
    }

    private bool TryEndChange(long word)
    {
        while (IsChanging(word))
        {
            // Interlocked, so that either the change finishes before, or its thread sees that the stream has ended.
            var found = Interlocked.CompareExchange(ref _word, word | Ended, word);
            if (found == word)
            {
                return false;
            }

            word = found;
        }

        Volatile.Write(ref _word, word + Step);
        return true;
    }
}
